// SPDX-License-Identifier: Apache-2.0
// The command `tenon`: the table of its subcommands, and main().
//
// Exit status: 0 done; 1 an error; 2 a wrong command line; 3 `check` found a fault, or `diff` a difference.

#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

#include "command.hpp"
#include "output.hpp"

namespace command {

namespace {

constexpr std::size_t kAny = 1000;

// Options that several subcommands share.
constexpr Option kTags{"--tags", "TAG,TAG", "The graph of a SavedModel; `serve` is the default."};
constexpr Option kSignature{
    "--signature", "NAME", "The signature to run; the default one is taken without it.", {}, 's'};
constexpr Option kInput{
    "--input", "KEY=VALUE",
    "An input: a file (.npy, .npz:NAME, .png, .jpg, .bmp, .gif, .webp), numbers such as 1,2,3 or [[1,2],[3,4]], "
    "text:WORDS, @FILE for the lines of a file, random, zeros or ones with or without :[SHAPE], "
    "or - for standard input. Repeated, values of one input are joined along its first dimension.",
    "file", 'i'};
constexpr Option kFetch{"--fetch", "TENSOR", "An output by its key, or any tensor of the graph. May be repeated."};
constexpr Option kTarget{"--target", "NODE", "Runs this node before, such as an initialiser. May be repeated."};
constexpr Option kImageSize{"--image-size", "HxW", "Scales images to this height and width."};
constexpr Option kImageRange{"--image-range", "LOW,HIGH", "The range of a float image; 0,1 is the default."};
constexpr Option kThreads{"--threads", "N", "Threads inside a kernel; 0, the default, means one per CPU.", {}, 't'};
constexpr Option kOptimize{
    "--optimize", "LEVEL",
    "Optimises the graph before it runs: exact keeps every bit of the outputs, fast may round in another way.",
    "exact fast"};
constexpr Option kChoices{"--choices", "FILE", "With --optimize fast: the algorithms that `tenon bench --tune` chose.",
                          "file"};
constexpr Option kInterThreads{"--inter-threads", "N", "Threads that run different nodes; 1 is the default."};

constexpr Option kInfoOptions[] = {
    {"--nodes", "", "Lists the nodes with their inputs, types and shapes."},
    {"--node", "NAME", "Shows one node with all its attrs."},
    {"--functions", "", "Lists the functions with their arguments, and all functions of objects."},
    {"--top", "N", "How many of the largest constants and variables are listed; 5 is the default."},
    kTags,
};
constexpr Example kInfoExamples[] = {
    {"tenon info model.pb", "Shows format, inputs and outputs, ops and sizes, and the ops that Tenon lacks."},
    {"tenon info --nodes model.pb", "Lists the nodes in the order of the file."},
    {"tenon info --json saved_model/", "Writes it for a program."},
    {"tenon info array.npz", "Lists the arrays of a NumPy file."},
};
constexpr Option kRunOptions[] = {
    kInput,
    {"--output", "KEY=FILE",
     "Writes an output to FILE.npy, .npz or .json; FILE alone takes all outputs, and - is "
     "standard output.",
     "file", 'o'},
    kSignature,
    kFetch,
    kTarget,
    kImageSize,
    kImageRange,
    {"--labels", "FILE", "Names of classes, a line each, for outputs that are probabilities.", "file"},
    kOptimize,
    kChoices,
    kThreads,
    kInterThreads,
    kTags,
};
constexpr Example kRunExamples[] = {
    {"tenon run model.pb digit.png", "Feeds an image to the only input and shows the outputs."},
    {"tenon run model.pb -i x=x.npy -i n=3 -o y=y.npy", "Feeds two inputs and writes an output."},
    {"tenon run saved_model/ -s classify -i text='text:good film'", "Runs a signature of a SavedModel."},
    {"cat x.npy | tenon run model.pb - --json", "Reads standard input and writes JSON."},
};
constexpr Option kBenchOptions[] = {
    {"--seconds", "S", "Time to measure for each batch size; 1 is the default."},
    {"--runs", "N", "Runs to measure, instead of a time."},
    {"--warmup", "N", "Runs before; 10 is the default."},
    {"--batch", "N,N", "Batch sizes, one after the other. Inputs without a value get numbers."},
    {"--ops", "", "Adds a table of the time by op, from traced runs."},
    {"--tune", "FILE",
     "With --optimize fast: measures each algorithm of each convolution that has a choice for --seconds, and writes the "
     "faster ones to FILE.",
     "file"},
    kInput,
    kSignature,
    kFetch,
    kTarget,
    kImageSize,
    kImageRange,
    kOptimize,
    kChoices,
    kThreads,
    kInterThreads,
    kTags,
};
constexpr Example kBenchExamples[] = {
    {"tenon bench model.pb", "Measures with random inputs."},
    {"tenon bench model.pb --batch 1,8,32 --threads 4", "Measures three batch sizes."},
    {"tenon bench model.pb --ops -i x=random:[1,224,224,3]", "Says what shape an input has, and which ops take time."},
    {"tenon bench model.pb --optimize fast --tune choices.txt",
     "Writes choices that run, bench and trace take by --choices."},
};
constexpr Option kTraceOptions[] = {
    {"--output", "FILE",
     "FILE.html for a page, FILE.json for a Chrome trace; trace.html is the default. May be repeated.", "file", 'o'},
    {"--warmup", "N", "Runs before the traced one; 5 is the default."},
    kInput,
    kSignature,
    kFetch,
    kTarget,
    kImageSize,
    kImageRange,
    kOptimize,
    kChoices,
    kThreads,
    kInterThreads,
    kTags,
};
constexpr Example kTraceExamples[] = {
    {"tenon trace model.pb", "Writes trace.html: open it in a browser."},
    {"tenon trace model.pb -o run.json -i x=x.npy", "Writes a file for chrome://tracing and Perfetto."},
};
constexpr Option kConvertOptions[] = {
    {"--to", "KIND", "The kind to write; the output's extension decides without it. The output - is standard output.",
     "binary text json saved_model checkpoint npz"},
    {"--freeze", "",
     "Turns the variables of a SavedModel, or of PREFIX.meta with its checkpoint, into constants. Without it, the "
     "message of a SavedModel is written."},
    {"--prune", "", "Keeps the nodes that the outputs need."},
    {"--fetch", "TENSOR", "An output to keep, for --prune, --freeze and --fold. May be repeated."},
    {"--fold", "", "Replaces nodes that depend on constants only by constants."},
    {"--fold-limit", "BYTES", "The largest constant that --fold makes; 10000000 is the default."},
    {"--optimize", "LEVEL", "Optimises the graph: exact keeps every bit of the outputs, fast may round in another way.",
     "exact fast"},
    {"--explain", "", "Lists what each pass of --optimize did, and what it left alone."},
    kSignature,
    kTags,
};
constexpr Example kConvertExamples[] = {
    {"tenon convert model.pb model.pbtxt", "Turns a binary graph into text."},
    {"tenon convert --freeze saved_model/ frozen.pb", "Freezes a SavedModel."},
    {"tenon convert --prune --fold --fetch y model.pb small.pb", "Keeps what y needs and folds constants."},
    {"tenon convert --optimize fast --explain model.pb fast.pb", "Optimises a graph and tells how."},
    {"tenon convert ckpt/model weights.npz", "Writes the tensors of a checkpoint as NumPy arrays."},
};
constexpr Option kCheckOptions[] = {kTags};
constexpr Example kCheckExamples[] = {
    {"tenon check model.pb",
     "Loads the graph, infers shapes and lists missing ops and kernels; exit code 3 for a fault."},
    {"tenon check --json model.pb", "Lists them for a program."},
};
constexpr Option kOpsOptions[] = {
    {"--names", "", "Lists only the names."},
    {"--search", "TEXT", "Lists the ops with this text in their names."},
};
constexpr Example kOpsExamples[] = {
    {"tenon ops MatMul", "Shows arguments, attrs and kernels of an op."},
    {"tenon ops --search pool", "Lists ops by a part of their names."},
    {"tenon ops --json", "Writes all ops for a program."},
};
constexpr Option kDiffOptions[] = {
    {"--run", "", "Runs both models with equal inputs and compares the outputs."},
    {"--rtol", "X", "Relative tolerance of values; 1e-5 is the default."},
    {"--atol", "X", "Absolute tolerance of values; 1e-8 is the default."},
    kInput,
    kSignature,
    kFetch,
    kImageSize,
    kImageRange,
    kThreads,
    kTags,
};
constexpr Example kDiffExamples[] = {
    {"tenon diff a.pb b.pb",
     "Lists nodes that only one graph has, and nodes that differ; exit code 3 for a difference."},
    {"tenon diff --run a.pb b.pb -i x=x.npy", "Compares the outputs of two models."},
    {"tenon diff --rtol 1e-3 y.npz expected.npz", "Compares arrays."},
};
constexpr Example kDoctorExamples[] = {
    {"tenon doctor", "Shows what the processor, the system and this binary have."},
};

constexpr Command kCommands[] = {
    {"info", "FILE", "shows what is in a file",
     "Shows what is in a file: format, signatures, inputs and outputs, ops, sizes, and the ops that Tenon lacks.\n"
     "Reads graphs, SavedModels, checkpoints, NumPy files, TFRecord files and images.",
     1, 1, kInfoOptions, kInfoExamples, &RunInfo},
    {"run", "MODEL [INPUT]", "runs a model once",
     "Runs a model once and shows its outputs. INPUT without a key goes to the only input.", 1, kAny, kRunOptions,
     kRunExamples, &RunRun},
    {"bench", "MODEL [INPUT]", "measures latency, throughput and memory",
     "Measures how long a run takes: latency in percentiles, throughput, memory, and time by op.", 1, kAny,
     kBenchOptions, kBenchExamples, &RunBench},
    {"trace", "MODEL [INPUT]", "writes the timeline of a run",
     "Writes the timeline of one run after some others: a self-contained page, or a Chrome trace.", 1, kAny,
     kTraceOptions, kTraceExamples, &RunTrace},
    {"convert", "FROM TO", "converts a model file, freezes, prunes, folds",
     "Converts a model file: graphs between binary, text, JSON and SavedModels; SavedModels to frozen graphs;\n"
     "checkpoints, and the variables of SavedModels, to .npz and back.",
     2, 2, kConvertOptions, kConvertExamples, &RunConvert},
    {"check", "MODEL", "lists missing ops and kernels",
     "Loads a model, infers its shapes and lists every op and kernel that is missing, with the nearest names.\n"
     "Exit code 3: something is missing, or the graph has a fault.",
     1, 1, kCheckOptions, kCheckExamples, &RunCheck},
    {"ops", "[OP]...", "shows ops and their kernels",
     "Shows the arguments, attrs and kernels of ops, or lists all ops.", 0, kAny, kOpsOptions, kOpsExamples, &RunOps},
    {"diff", "A B", "compares graphs, or outputs within a tolerance",
     "Compares two graphs node by node, the outputs of two models, or two NumPy files.\n"
     "Exit code 3: there is a difference.",
     2, 2, kDiffOptions, kDiffExamples, &RunDiff},
    {"doctor",
     "",
     "shows processor, memory, GPU and versions",
     "Shows what matters for speed and for reports of faults: processor, instruction sets, caches, GPU, versions.",
     0,
     0,
     {},
     kDoctorExamples,
     &RunDoctor},
};

constexpr Option kCommonOptions[] = {
    {"--json", "", "Writes JSON for programs.", {}, 'j'},
    {"--color", "WHEN", "Colours: auto (on a terminal), always or never.", "auto always never"},
    {"--help", "", "Shows a help page.", {}, 'h'},
};

int Fail(std::string_view command, const Status& status, bool is_usage) {
  const std::string line = is_usage ? StrCat("tenon", command.empty() ? "" : " ", command, ": ", status.message(),
                                             "\n  see tenon ", command, command.empty() ? "" : " ", "--help\n")
                                    : StrCat("tenon ", command, ": ", status.ToString(), "\n");
  std::fflush(stdout);
  std::fputs(line.c_str(), stderr);
  return is_usage ? kUsage : kError;
}

int Finish(int code) {
  if (FinishOutput()) return code;
  std::fputs("tenon: cannot write to standard output\n", stderr);
  return kError;
}

int Run(std::span<const char* const> words) {
  const std::string_view first = words.empty() ? std::string_view() : std::string_view(words[0]);
  if (first == "--version" || first == "-V") {
    Print(StrCat("tenon ", tenon_version_text(), "\n"));
    return Finish(kFine);
  }
  if (first == "--help" || first == "-h" || (first == "help" && words.size() == 1)) {
    Print(HelpPage());
    return Finish(kFine);
  }
  if (first == "man" && words.size() == 1) {
    Print(ManPage());
    return Finish(kFine);
  }
  if (first == "completion") {
    const std::string_view shell = words.size() == 2 ? std::string_view(words[1]) : std::string_view();
    if (shell != "bash" && shell != "zsh")
      return Fail("", tenon::errors::InvalidArgument("completion wants the name of a shell: bash or zsh"), true);
    Print(shell == "bash" ? BashCompletion() : ZshCompletion());
    return Finish(kFine);
  }
  if ((first == "help" && words.size() > 2) || (first == "man" && words.size() > 1))
    return Fail("",
                tenon::errors::InvalidArgument(first, " takes ", first == "man" ? "no argument" : "one argument",
                                               ", got ", words.size() - 1),
                true);
  if (first.starts_with('-'))
    return Fail(
        "",
        tenon::errors::InvalidArgument("option '", first, "' stands before the command",
                                       tenon::DidYouMean(first, std::vector<std::string_view>{"--version", "--help"}),
                                       "; write tenon COMMAND ", first),
        true);
  const bool wants_page = first == "help";
  const std::string_view name = wants_page ? std::string_view(words[1]) : first;
  const Command* command = nullptr;
  std::vector<std::string_view> names;
  for (const Command& known : Commands()) {
    if (known.name == name) command = &known;
    names.push_back(known.name);
  }
  if (command == nullptr) {
    const std::string hint = tenon::DidYouMean(name, names);
    const Status unknown = words.empty()
                               ? tenon::errors::InvalidArgument("a command is wanted: ", tenon::StrJoin(names, ", "))
                               : tenon::errors::InvalidArgument(
                                     "there is no command '", name, "'",
                                     hint.empty() ? StrCat("; the commands are ", tenon::StrJoin(names, ", ")) : hint);
    return Fail("", unknown, true);
  }
  Args args(*command);
  if (!wants_page)
    if (const Status status = args.Parse(words.subspan(1)); !status.ok()) return Fail(name, status, true);
  if (wants_page || args.Has("--help")) {
    Print(HelpPage(*command));
    return Finish(kFine);
  }
  ChooseColors(args.json() ? "never" : args.Get("--color", "auto"));
  const Result<int> code = command->run(args);
  if (!code.ok()) return Fail(name, code.status(), args.is_usage());
  return Finish(*code);
}

}  // namespace

std::span<const Command> Commands() { return kCommands; }
std::span<const Option> CommonOptions() { return kCommonOptions; }

}  // namespace command

int main(int argc, char** argv) {
  try {
    return command::Run({argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)});
  } catch (const std::bad_alloc&) {
    std::fputs("tenon: RESOURCE_EXHAUSTED: out of memory\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tenon: INTERNAL: %s\n", error.what());
  }
  return command::kError;
}
