# Completion of tenon for bash. `tenon completion bash` writes this file.
_tenon() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W 'info run bench trace convert check ops diff doctor completion help man --help --version' -- "$cur"))
    return
  fi
  case $command:$prev in
    run:--optimize) COMPREPLY=($(compgen -W 'exact fast' -- "$cur")); return ;;
    bench:--optimize) COMPREPLY=($(compgen -W 'exact fast' -- "$cur")); return ;;
    trace:--optimize) COMPREPLY=($(compgen -W 'exact fast' -- "$cur")); return ;;
    convert:--to) COMPREPLY=($(compgen -W 'binary text json saved_model checkpoint npz' -- "$cur")); return ;;
    convert:--optimize) COMPREPLY=($(compgen -W 'exact fast' -- "$cur")); return ;;
    *:--color) COMPREPLY=($(compgen -W 'auto always never' -- "$cur")); return ;;
    help:help) COMPREPLY=($(compgen -W 'info run bench trace convert check ops diff doctor' -- "$cur")); return ;;
    completion:completion) COMPREPLY=($(compgen -W 'bash zsh' -- "$cur")); return ;;
    ops:*) [[ $cur == -* ]] || { COMPREPLY=($(compgen -W "$(tenon ops --names 2>/dev/null)" -- "$cur")); return; } ;;
  esac
  if [[ $cur == -* ]]; then
    local options
    case $command in
      info) options='--nodes --node --functions --top --tags --json --color --help' ;;
      run) options='--input --output --signature --fetch --target --image-size --image-range --labels --optimize --choices --threads --inter-threads --tags --json --color --help' ;;
      bench) options='--seconds --runs --warmup --batch --ops --tune --input --signature --fetch --target --image-size --image-range --optimize --choices --threads --inter-threads --tags --json --color --help' ;;
      trace) options='--output --warmup --input --signature --fetch --target --image-size --image-range --optimize --choices --threads --inter-threads --tags --json --color --help' ;;
      convert) options='--to --freeze --prune --fetch --fold --fold-limit --optimize --explain --signature --tags --json --color --help' ;;
      check) options='--tags --json --color --help' ;;
      ops) options='--names --search --json --color --help' ;;
      diff) options='--run --rtol --atol --input --signature --fetch --image-size --image-range --threads --tags --json --color --help' ;;
      doctor) options='--json --color --help' ;;
    esac
    COMPREPLY=($(compgen -W "$options" -- "$cur"))
    return
  fi
  COMPREPLY=($(compgen -f -- "$cur"))
}
complete -o filenames -F _tenon tenon
