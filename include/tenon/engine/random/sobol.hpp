// SPDX-License-Identifier: Apache-2.0
#pragma once
// Direction numbers of Sobol's sequences for 1111 dimensions, as S. Joe and F. Y. Kuo chose them: "Constructing Sobol
// sequences with better two-dimensional projections", SIAM J. Sci. Comput. 30 (2008). Their table new-joe-kuo-6.21201
// is at https://web.maths.unsw.edu.au/~fkuo/sobol.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <tenon/base/config.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace sobol {

inline constexpr int kMaxDimensions = 1111, kMaxDigits = 31;

namespace detail {

// The table's numbers m, dimension by dimension from the second on. All are odd, and the first is 1: of number i,
// counted from 0, the i bits above the lowest follow here, six bits to a letter, the lowest first.
inline constexpr char kBits[] =
    "DUqpQKxNJAkq6HHMuqibM+IyNGV6f3z8tdEln4XJw0ipYdU7fYTqXTYEthEwll6EZHV9C2esOSioFpWohH47NNP2UshyfDm++v/BLtKm8T76IBft"
    "ga5hfgnCySgZyU548FgscXOy5o3bu3QoewwR2KH2PEJNKq/9qlqqmwKHdZ991AYTQEIcuIY1I+8MLf0C9RbLWyBPvW+0SN43vPlS0Nk9c/OF6/sx"
    "AKZ+OtCQUV7zXS3awdKUK0gGII7dA2v9CqGosA53Y8f+B5z26HFI1/zOu9JlHSWUrvteIwYgmVdgnPAi0pie+qgr99Hjm2TXFTGIwxXJJhfY4J0p"
    "QbEupuzL7wyCn1JHj16PKapVQbrE/pEyT8Hy80A88cOx6AAASis38r6YIenspG86FJuE21NqN1hSxCZg3pfmD5VNDaTmit5stgjvmtG4/dqSYpjt"
    "NXC1LpcRIF/tyZJzv/DNvMasyntVKT3B41un70QEiA4Wl9BKfKVm/fU5MFbazgL4TlMFBn4ZifEvxbS9DWwnursTPT+EYXEBvz99Ca1FykROqBs6"
    "/KzZCVp8cfr2OxDjH6M8wipGaWWLeSMbtzJj8Z2WCAJ3jlHacpOqiX3a76kpSVlhqkzcb5QjjzSY5ch1U+JYnmhayNh+7RQz+hL9QAhf5aqcuHMJ"
    "6h3LzRiQwprg7AFrT/0bnWH8nzCDBfXQ5afQCKj/NUbso1f3LQHPh1B8FjFozbCZt9ysJl1n4MtwbkSoGAYGBa5dn514Yoqt2iVURpPWvV+pV/Ga"
    "db4Mg/mfIvLnerPNoSkMHXOLg90jTfJLFkvkS/BpW+yaSQgZLexmlv8uhfVCeXN5/XXNlWvljp+ayXb0IAk2MVaam+1ck/21KYqzeFJ+c7jel/St"
    "hNhjYMf29Gj3DnQoOvxal6OxbM4Hkt8sUjcRXImhJbRmNA8hr9C7tpNCJcbNbOa1Oc4yFYzgfMlPiu9qgHrolZ8IQHkF5BsaceWQqB4zrcvu2O7E"
    "+XUvv/AjYDO6XgAmxwhyQjO2MZcPbcM+a4snKhsNKhTx0f9cfs1q+4K3pl33D0mZvswYot/iQDZBq1dPo6ocneZlPzAhGr7qfAYlEuNE4Kty7ySs"
    "JFx+LZjMp9nyvGQ8qh2FLmdsV1wRLiw8QsWGW3GASyc7kV0J9fjzNQMVcHwJX924vp2v/kQZkHgHLrPOkryj9bgj1/vhgFMEfHKjLRSl89NVUCic"
    "/k31IzSxBOW/ZTtM3wY2TcmSzC+iYY1FUZkH1lOiFggpYjGWUdwN18WXRxSvXdDK5PA1EvoUtKleJksBUElYHo1cC4UchyhY6ifadtTYp4OLvM9Z"
    "vej9mFVkvMJ1Kz3VqUjBo+RO7CG6JFQY8yL3NQjvgiZBrJZIfnmD1itZQ24FlpKYqgPmu1kHDw4fsU9Y8OyW1NQj0IEhiCy9jtXlMu+Vjhhd3U6m"
    "wX5vyCJRdC5tJdcYZsuf/wmIZvbNMaCX+8qfrR1+uv+RrGQmg/yiJ77hjYh+V++x5h50nYfMT2SV+bu4TqN+3CtCuiiS1x+0varSyCkVFb7CBbp6"
    "KS0IB4Mz0vpZHDFR32l/wk+P6fiZ0X989fesXxNVp0NLGP33tYqFlVG5BQFygFAUQBkahYSDSlel3vUbE1k0nYbMQySADjS7tey70OOXx/jmAiUU"
    "vQG5/KRg8ishsrDYKuO9n1NbyDX+PcvcUWHMGYq0zaId/fuxTVITyFizDtjZXZSqS4IMeYyUd65PhImuUx6qrHKDaCh51rXMRbpZFMwJmBnLck5M"
    "hWY9yC+RUv6Vf/X+ewOdijCu/QlnnuKEYcwHLG+TNmio14gmeEhGEChrxfS74QEw/sfROzj8+NxyJnHUe9uZSL/oenBdlK/gTEmhBLqvUeWMdr/o"
    "0yZemIgdZr6N9MLYdaBqa5rKd2ANU+BVelebFNhQJ8SqMvB09mQEK/J0SV7FECDazFxAnq03HdCFaOkKEEQggquBsvDGFNXtEokBOEkJ+qKbm7rU"
    "l7dPstym9tNI3We4i6I2Bq6gOE+rIIRjhoSRB4M5gEQi2aDtZplrtc86bqQ7r5Vgb/XZzcvGjymcmm6ZqIyQFH5VowZ/NG1a94NA+RiEV1013Uru"
    "JxQ7ofEsh1s0wbAyWXc3na8kF0iQ56Z77XNQ3A/1HfA+QHq+FMTiGC7+5c4dH/+DylTqznCNyOpbI8EiZ44ja4XnqlauDr2pu7ZLa/Uu6DcEMYyg"
    "df+SYBTL4Z+MVBHXzDhvSX11ZD+5utmazSelnoFsxck3wGb9SJkLX3MMnGjJjHuMLD+MyamDYIL2ZotUQieuJ5MoRl8yaEze7YCswrdMcu+TyK/y"
    "cGfSGyX5CdsZam3tmNXqXnYu3CHPad3Ee/81W9O7iI2+W0JQ4cX+II+AuqFipM/jh0YWHxj85XRKlDoI1xUywn6BYj6n1ehLvrKJEy0X2U4UBVei"
    "uVY5eGz0UpRXVwac5Mh5Jw7r7RrEVaeu9xwH+YnyFRIldiyV4QTZ48iOPUHvMdzzDi7cVfhJXoL2XYdQu9GWVAXHt80sj8cK2ZvOVihC9dyPcV8S"
    "7fAPFCM6nrObLa7M7Wcbe7KUigeefUPpWbwoetr0bsSTixIm4lETEgkVn/PFxMyOX/r/01gD4rVeGi/DjQO5w90ApJHYJFuptY+3eWoZ5zmW1V/e"
    "Z+LSJGdNP5hATB9bxcrPhYiN1wSCtToWbkEjOgHl4BaMXxfVXXbOevsCqSUQ0LU47PQ6pYnBZn9zJAYHB3EkfZixZZPkVQUhFVeB4zLQVD4uI/Ku"
    "kRto/Dyg89wVV6eRIppKzDQRJdp4T9ZHavQk2fmQIIsg2E/VHk0KT9j9Sb9nTtXmAM+GrrFPuEJJGOUBw9a9jpSil4fgDQkrw0S9nuWMo5YmcTUv"
    "yrHcfz7pamRZ6bvu3t2NNp+x+ufdhx13cgKkZOL+411E1hmbnTT8WXdrlKVSpCW5E/WaSDloxOCcfk7yKDFKKwN/WDT7NMlPG5kkF2DIvOYvnlG1"
    "QTt8SmYi2JpU+yY/Ly6H5TT9h81k7WtZO8ASUovoE9JiRylQbHAyfh6S5WUL5DWtIrrlnZA51MhtKWpRpSvXINpBhFGw2fYuFPj2eWkV3abgLGa0"
    "HsR6HxLTI0Xht9YGj7D1XyAaLXQS00skkkc+UULKIhkvAfHv2qENRHbUJ+ZoDMb7r5xnBJwY4NW6vW14+AD2ZknS+2soOf7LStTNKNmEfb1nLhd+"
    "A4Xo4qW1MCWfp+di5LbmK4j8oUmdbNCqin4eLs2Uafh/hNFK2T2J+LqofbfojI/ZnhPnMbCMnaTtxppe9DlHJm/iuDtbea8RUatmd0pFxkdvEKXX"
    "r1K9efTnJEPJe6v8MEDjuIVrAu+ksUM3Yy+sQjzWhIte3T6knX1cyQNe21JSWwTHXAoF8GLmqdn5oQ9iKjeO27G1fB4VIS92jHq09oVGFop/qXcb"
    "1feByeZNsdVXt1s52zpxhO/rl0bWnNaW01HeeGaOlvjcNOI+gcq3rXejFXIZN0y23fVrPhm3O6mwry/JhnVGcL5v4Xv+B2u5PZLrBMoLwbcHbI77"
    "aU5Ni4jLVuW3wSmux/i6a3J3Zs2VlXMU8yc8zI6PYc7aZFBpXQ5wUKz5Nr/5cfWnsem4O0j7WeorUrb/SOPcWfOv/luMqLGPlpjZ/zEDr4HlpTJT"
    "zLr//RuubpeLBnWu0hekXyDeX2ongW4EMHXx/EDDNEzrh2/0Jge9i3VDh3ZDFGYKeHpyOkdSPbh4QYuclWS9vI4FsZzfBG4jdemtKFZPYWnyEUbu"
    "ixGvF/210p+XqIhzwqhhHX45A1tEgeK3F0RiGXrNcKSFInAQnvZg0zjMJr0PQpMaQhc8AbFEuOkD5Ww2AoiBWywmCqWaRTEgHlYIdFPfOH90FSFV"
    "NN60orYBqM6KysQAVv5Wg197OK79JO6p1wmpc4pSb6D0qlXtouAzW0sn8jc/2iAi4JoC9Q3k86KUITFaiJHViJAxnSNnFNuRIEwwzAGJThvFICVK"
    "q19iTcQhnUTStYbJXTc/AXvGrFmg5RFLc72Ogq1aQiRNYojbjALBwzj7W2CdH+BQi5QMzB100yi1Xn+dkqOmoFkdgzL/0yWQ4t0ppKeGeIa/qFjm"
    "UtDBVTjf+nb+7mu1Dz71IeCFodkY6sqALrlIHY1kVecPxs3vD+jVDUxR7hAhnIlDdv3hEJDEVIb/L8KgDDCWUGz0wg8mV05SXr4qqGFhdOlYKqDm"
    "gFJxG55T9JidX/I/U3ga91RSATZ33fS8g788wgu0jWmn+afd49vLlJkGqqExQd0mrS4Wtat/LMeKiy6HIVZ7OkXZL4VRKMayRJH28/3uE/VjS41c"
    "WBlBlkQ88Fnh+41R0cIKID+1vzBSZ/VdRRq0LKD5x9ETla2yycXa6Y1wY8dwuhWjePjTOuam+OqZ9YIDKfWcuQDxJE4iAEF3hvHtHSDcUWmd0tc+"
    "kI7L4msDViFBYyCcg1ZLF1RCDF5j9rPB+WOaneoKdWBgzjh3cMFcrzzC3z4caE90YFPn0T0ZhvWyTq4ePUSfUOxFDxOGfdGmHt134eQjByQWh1vU"
    "9No+bDcPQi62JoemfGwYCR9LqYlIqKeZxIqaUKw2ru1RXKoEnqaP9F5F0C1L7oVj/WPled+dX0RiLF+s+VyzWKZpfQZvAmj8I5CTqZ+61Q/py1gY"
    "wRlZRb7EKnvOMYsswDYrYQ/BT95Ey91qQYsyxV1CzTmuRQeJG8GLbe71yjfhxAPxsAgO5ebNuoRVJm/6PRqCZSSsD1+0YWRWQKp+0ery3HGVNIph"
    "ZbtSaxu8ZJy+DUIYXgQBgMcjo+HcBixMePpNKS8iq0CrrsiUAaZdwt86k7jpn2v0tVtdJXO8gvHANdpGdBb1kOztw3QnQ9cfcN8kK0XFrhJTdQFc"
    "fMh9jdeBjDRBGk+DgJ5v2hq7yDMjs9oWoEuBikCDYc91TKVAMo3iW6s2DcQl/mQCGwkI3Nq8y8b6AqQ8MQUWBig36ufqi85NO3UyWDTWNPvFRfcL"
    "io2VShCUJ3faJFJ/o/1siO7tix6RIv3OFeHghFLy0FOPkt9wqTH10C1smiWAFD2DOvQHGL1DO9CkqdOR6gK7BZXc9dLAeSDlzJYD04sHKtxQSYoq"
    "+PfjdxDdWFea5Sm0cuXWrPJWw8uhaXsMxUDVBq244j142pEM0D2SruXJy7UtpFUm/bJwevJI6RaWtLzA7U563NFn77Z6oIxbkMBssQ+nEzZqI+Yc"
    "Rrw9t45jIfqzhjr0XC1Dbz0N8fbj8ZWQ1Ttf0P0+s+Qez2O9RRUUyo0ekpjf5wU46twop9jM/NR4Rd4Hg+y/YPpki7k6bVFFNJk0rmtKnMQylY8f"
    "pnVF+H6MyT1M5f6HujXLU1QLShRdUMOyz0+7Ose3sBBMAn8Bg3E7WILln1AXxiQX0Ajjh/srJMshb2sj7XNldchgsvqlkd6WHtvFc34j7wuT5jxU"
    "v59IehVPtHmVic3k5m6ifAnHT/faBuWOM/T6eIYM9BFko7KgMyfH/FDlPB4KR1trwKZgqjT7bcHkafGqjFtmP0oux4j6ffshJ5iIDe24alcNmblB"
    "daIMrUMRRcXjSS3kIJQVHi942hl4mQJMlq34Mc804MAssgK+lfSzAzh7CXl1ACUKs0q0cJxC1jSRqT3VWZ3mrqcBJMrZmFnHE8oTeoK7xrTRbG4O"
    "4qDWX7Kejj1S/d5nN4Z120gqnClfV+z2XZ9xl0yvbbgylg/FHnDc7Cs1qVtqpO365etwqknMtJfvByB+Zf/B7eK4mOydscepdV66TwvjKR5UGgke"
    "wvxRxJu8T+1iHmOG5cS6wRBYWyDGV2HHTH+gvkzudyMS+p1fO95YeanxXnYj2RL+PZ1S51uUViNTPVIK97trmJOv+2i94tY2uBdVckd/Ops/DwBL"
    "ECMWGyOB31yw1cL/yhsehJxfKXnpmj/Lj3DdZkcRFPEa94S2xn1GvltcBdLwEIHVnNaPhLix3b8b+Zkr09NLCHuaZgtvBcZ7IEQ/T7UhXNylBv+U"
    "dnBM2PGYrYEDANncNAgqJE1qrsmWGZHPBPGkV0qMS6tLdxZkSzUzhEhU7VCBKXE5CHzjnObAFMXxiLslTnJ5pvAx4H2/ZM6+9AyWhuJ9WRc9DGgW"
    "DyjR1FV0rQN4AIGZqCpOk26LM5uA1HUvs7lWSgUPSgfP2dvivq/3QQ0BnFFShZdNkK5T4yFLOKWpKizCKTpbPR9YeHlDu7dp2MuHM2vLGlZtdFJj"
    "Z89J/K8kCFfGf2R85DwojzuRzM45QPSeJw4Mlw9auE1cUIWAkAolE6Ke2BUd2VVpEQ9p23uxKCBoH0vCXSIuxh2hWJBbrtK11uckRJ/9MF7tgo31"
    "l41IG796ZiFgmv4Q6M1jn+EdwUZOmOCIl76dtgFDjnBeGijmbubv5DP79dP+dRiyNrPYdYr0ighGMfJlpcVc9srD2czGYN7emjCWpezF0yYQ3hTL"
    "L/WI6TncyXzGHgJO/9AFYmEylAAnSth8IZvqxxQUM9K/oZOzrWIJXfR9ECBpqjx5OwuXOQjNK/kjAsuiLyyrpCEaeIZi7xNfHlswMwRSo6f2diCb"
    "b0j7GVlquZWNMUMjRU/9jizPOQOmvmP8EZqIE6LS7LimKQoqNzru3Km0Oz2IYQ7lt0CqhzvdXRV6eKD6rehdGmdbuOkhe5sIOjBFWlwO3bevLMpN"
    "KBOMU/PCCjYaIj3mmYkKUwhkJ+JCLyKeugjy7Yxtx7Y0vD8TdAyZfdrw3jv85/PQfCTTEFZ/tJMfOS2RnvWuAmty4ALOpQML7WhX3KL9Hxb/iuK8"
    "shxWN2uqv8zpfHQzFPUwyBeCRqgGggPcCiygEcPTIiQqdMXzE2B2MJwa/rvHgJX1N80zpxqIXGyIfDk39PTt2or6jUtER/3Lgvhk+/g4ByqgLOHs"
    "p48yT2ffq/J8HIo4G3a2DIuR4iL7CFuq0gAjrceFa5BjJlxgDbIdXlNTNezVQtI3CPT9n38NT5obh2Mk6Yl90IbUJl+UdciEgGCZYckeW+fiACqx"
    "YjAS9yhRdHD0OlDlut5VUiwubQ4c0saVa2e7RoKIK7YMuVfZZ7jU9nl0zmVLB/g9YkMLAyw6kOSVZA2dS1Ft8t1GRE8OLpiTEmVjG9wtsYl9ugRR"
    "zLHVfsV16wLy6MlsXMiSAWAjwkun+Ydhl7vkSwjwnRYsek9uT48iYS7ThNrz0ubUdNot42/N9ehjTLRRzArk0OcpevfvpU8JC/L1Ws3XNu8kqNaK"
    "opxp10xYkfQN0rfYd7tGzF9kXlaagMm+LkCSAlVHEjZ9wkPhe2iQi7gjonMFFhr0C/WeovMBtKiGUYcE3Oj5mZlQH6bvyXF4d3gJb1kT3c/qnrET"
    "crvo0PLAZBqJpyB+Ko0WLwcc+9189vgQCCyzmH1c/m3E62q9Dc5CaT9hvk8nj32BFMmDe7zrzfUUUMazl3WgA1kLpNe2Fh/v5/fnmX0vlGABTpKg"
    "HGuXRBKJlMc+3iXC/8O2JjFOKeEFiXtGj1aIBeSSCS99Fp862t3S/foExTq1zutULvKAkEJI0JkGQu+qTdXpQBCyHC4EyZvZC2gJwuo+2gWY0DOK"
    "CFtpQx1fTtGpNKHVloltslzZPJQEgEWE/OFqnSOxZ9YdPkI+O35sLI7YjhxipcCMk1BLp4uEVGUyN6RuQ98CFcWqpyQvD0LF3JVNLGe/i9kn0C6e"
    "CD1sQhveaq2Wu1giwB8d37Mg5sVuJdw2RnWAbk7MzffwnNI5MN/w+5YvFVls8g+ZuhcyV8MiNqzxej8fyoOHHro1sCiDk0JDLf2pLUyySwcM3vrQ"
    "B1GsGidTmrBiveReRr1HWJimU/ZamKfaa7IJ46LvkjusEgpIOHyVDyYk6kXfz2MvGoKW/+ukuu4LRrtlWAZKaYsd5HLTJgxPFMyM5F2u9LFsgqF3"
    "mK3kaM5wXHBGPBdBxI3t9LmmB08o3UDol2Wt7ZNXXG26Wy/9sMm3KQ7HYCHkcIxV0ijE+zz93UwER4LwrM3jQSVk620Ha+Gpru/wimk0J+yj11in"
    "34MVK8OgAsAPt94dJX0fjoecTBwVOssnTsOtknudEwVDxGjTw6OnCx9Ypm9PFjholMX4XU0+QnMdAz3E1ouKN777MPMqWGPogfgw5+SXpeDmrC06"
    "ShxUvBdfDKjudLMiG01+1+0s129S+TbTRc4h7/MxhszFHs7J+5RpEgtCG0KKcbLGvM32Eoa6lLP1cd3axkcQUflcom4fxyvHUYvEuVdiYsF6zUYa"
    "49MWUc9PeEm3FUaYQ/umeajl1C0hpbAX6IIcxmailVtKjr+FAcxICptk8WvY20c8o+hAYjj96WrR0BwOMdhVp+9yiHQHatmb8B9C8e3XeneAbLfO"
    "WCZch3Aw02/ZiD4JwYkLYvEP8LsDm2zNor90vGYZ9D/Kyh88mgrseoDgIPsVUs979TGcoOT6DLXuJNQX4EJK7vKh3mn5Oc83NKw5sJ5m41wqWMsy"
    "DxecwecdvTmKhRhCZE6C8OOu8iafTdXpGb1K5YoxIY2xaLsZWPYjWXWBcvtJVa4/NRQzMYVwmxDEecnm1bri7v5aLFTy7GnYxdGw3FdrZV/Qa5we"
    "v9LV8pPQ56bxXSHIl1Vxz2nzSvs1PIPv+u2MSnnBB/zoDWH2QyXZFOW37yRX7Qtyau8I3ZrfMuhGpCTZNJLJlcnufoNI6k+2/3KX9bHsBx6yLIRD"
    "dxx2L7QbY81MQep05kArM5TMEZWkL4zV12UtqGLo/EOkG6MSGqVqpHkXXSxJbUbkPE3RU+qdJLSbqEd5KyUt80qEkIn1Ika9tnft0Bl0+EprPVjS"
    "L6bw22/P5VMcqfkn/yY5cdf0IN8F37cj/mx9feY5/7MkV843ZrNfJ+jgBdbOweWD3+ubS4y6LaDogHoW2Q4iAf4yITf5yaDl1ZIU6BnzW9mWGxTv"
    "4YB0jU0eMQY+qnHg9WWdx43nfmHG7njTh4hGN7lIWWb47rCcyE9xfnEEzUs6aB3bFZZnEF8nHnYN+gXLtBBq9u8res1yX9DModPIDweqWpCTJeq7"
    "XqgUSOcvdKMUb5gkV9oPGTyaIYKC8ygCy8cFX2VKbIAIGnk/Vo+2/pXgimbdvogfyZlIuQfll6SBIs45V+ityuIKFFOFDS4mg+kGOksouhNmZsuR"
    "Vi9bsSCDx36fbTylra8mYjSSw4T3jG/0H4LIXYGwdZVZ6stJY8oqe7ZF0/Ow2CauHcDNaod38trfLGAOpL990HlWmhU3miAtiW/amQo8YScdcalR"
    "swSXztYqMP0kEynG1W1GAhhz7f8tirBal4PMBV8kNZwhtKjVLolh27x7g0kPHmycSOgr0+ri6RzfonRqzDM9cn46nvVuY76eRKIrSsBrz6x4HKMZ"
    "yOBEp+DzyguF8s+1CoQs+MeChAjY/CWS3GdD6VCJZlnv2I5deF+NTKpL2hjC15FWF/Wfa1RIzdDXQLy7Cb8i7oaCwxugwDK77yEGtAazup8ifnP0"
    "XJjeclUMgJeqj4Hsrvif5I5AP0tAf3GSwJ/t6GsuyI9B8Bc8WrVugRCNcctQJDV9fhSxpkH0BWRJtE7r2v0rlK9s6tsnHAD5Qi4MgxAQoT4PDyth"
    "gOPWZIcSa+TiFnhWtTQ1AOTYqFe8YfAj02Cg3DKUI9H/zs5wG6paMjDADSMhScL5G1eRV3RPNLDpYJaTxTpBe9rRp5By8xoUWlXa5LlMliG6szIa"
    "UMXWbypffN8tsqUFRlm6ArHkVqugIqheSqSqTjLIPmmPZwNjomJa/KhsRW+pUi/aDOhjt/xes5yDs3Rc7t1cwqDDIniTfxtoIsCxiaTNxterxhkF"
    "hcmFz4UvEAUkZpc1Ffy1ad0IH/baNcmk6inXXcHw+ct0EQzcgBkdaUPcC60q/gs6Zf8bpeVUBqvAqj7dTxnuHl6NiO0jBUe9nG4bcORqfcEV/2d2"
    "07ZAGvrfM06zLYUf25ZgHP8zhLFsnIyAjD+ctjmIs7gL+oXhdWROZ4sxtz55hRRw0RaTKKuA6MBbuacB3Br77Xt/uRNiOxwGTcs5z8wldnA8o9j7"
    "x0553hbYNuBv23NiI16Y+NAWuiJLgHzecItxA54slSKWe4MPecFQQwuDtxUKRRHujRts21YvJ93Jkgi633DKVgAidS35p1wVs6ueYHNT7RQtabSC"
    "SnWbmS4wP+AusodVvtN3PV1tmwKrMNM4IOnrAaJ7WB7pG+Ma+1OpePwYpFVZxsmprMSdMYxBAjc6fFFMM1MFPfbqT/9Kphi64wAiICgYERCcN4PK"
    "X2RTwWXbIJYB0qRIs4nLnnUMV7/9F6Ms4c0Iyk92uR7Lv5Mk4J0Xx56oUih/K9AqTBwEmxoY5ZMVmzKBWw/GJ0BlYLWzntyQpnh9hr5Ci21hpSgi"
    "2jF58KhA0Mxz5bR/7RswxgCsS7c+hU7WzTo2fGj+/eSW+eI4BpwsnNTLy5qHSRqd/AqaEE2B+gu8aren9nbj5Kt5gNNgS7j3sukSprLVjpJpSU80"
    "VQLcpY0hqh8eapq0lafP04dLCwQYFCjUJzB3hB6BWmnIg3xhoObg5DH/EOL2zUgSZZgmt+V1VunXweXlXdKRwi9aYtYJZLbXQnBK5ogfiUD/3pRc"
    "svYYqJvyodYHNWD0mx9evOs2FTIK5KdyNawpbhw0jX4UtJQRpiyREmfIiCy9nr8OKPTIuu7nQgDQPWtgwsEyejJabSlJdcGktVurRpWhUABiL2qp"
    "MZqOfTDlAlDuSpxbBr3I+2vTek34E18tXkLQnGSar4WBh+eMEqJ1udLgbMRtZxsDGGAytb2VuF0SPLissNBFjANZdt9ydn4nztqRMSiCsgvhXfEi"
    "IWwvghJjUChCLQPmHuZQAV3Lz76Q4fsMgqBjiD2RDtGvThQRxdexsGAOOXizdoFEB2QGrLf5cb8nSv/4KDoqiLytzE6n8G7YS8NQKSlz2gA9QDos"
    "+XJCdm/moohu0nmLFqyTZQs3v2N4/owLNgUzXGgCZVcDhfwBlq8ZrCe1SZkKEfURFHw5fhDxNv7Fsqgc1RgloNIaoxR+2j/xyhhRimD56V0FypJa"
    "OmxPOtKTwbihaa3epbx6cjBPajttkca+txdrgtTN3REdM/yKOJLysSkh7VRZLokjB7PSZt+5nfm0FBf5UXRhGAevVuEvj4T7oDb+Qh1TDJVWFD7N"
    "drRojxihy4xicrMfc1JO0VSFBPt520FSSIHBlI1bdRTn0ZgAe9HzubGgAb5uhY1mbgbbFa7oDYtsCFr82inV0xms3XUdscpKFrkJ+lEdWgUmeDsi"
    "K0RoZ2iP2dZ62RxqoAAx4fFKX6EBnUpXntzaLvENUYSEnjcAbVDdFkSf7v0V2LJ4f2Gulm7SqUcdvg46JLV/OAXN+63ubTR24AaDXII2UZlbX9D2"
    "0Of+DhsTDTco2hty6X9oA1qXcQBAk1v+Mqw/BWLuQzlX4ccSWw++4cejthEBDgk4THtbmEILV7iJJA+OcCfPmyIqDFzrDorK4VwTPe4d4IQu7PcT"
    "nLyQ5ubY22htcNzzeQT7Q613nbhJikFNex9UcGDG9MTMLyWEUkNxddMEMQi419uFM6MJh1wc0iSjtjEByoIOMjm2xc3DoXvRR9rcI4ucllPaDbJN"
    "ASMSPtnP5YPHxQOFoodXJWBgygVoe+urKGs888/A3/EV6NwTeRfv+NJ+buks9yqiasQ/qgSmELsf8MlQVR66LAAbjl9HzCTykOangz7rshuj6MUY"
    "8/tvCgpNrYn4kscT7M3nlgL8O8IdLHBbQUM6dbMVqV368dX8GplC2bOz440KdYkN/AyVk+Glah+lVWwZGpjGtF7JcIi5hKqc6yZMKXLU/K7+qZIS"
    "9lDQ3tKvajdn8Ns0m9ErKiUHqbWH+uzvnpQoVB03eJVnzPtsY9Q/x90wSVM08H4g6cfHk98b/NGY0Da/cV3Pv9r2kXFwOlsELJMBYSZp/Y0QsRoV"
    "qLN7SVJRN2weBTMCu7GtC9h1Z/tbpygMvjf921/LU61ffo5uyZUOo1VkQKaJCLYD4zm2jyqKyVJXKC8tHpIivcj+sT1MsnKbt7/I1K9Z9q1U2VyR"
    "UTB6u9oCnaBkmTjcgsnKgfUJyOjKt6EOE66fgq4aQPs0nlVjwSAWfoMmqAiDRoJyDYqeRQm/640DGpPZsS1H7VTxJILEn4VgbFZLD0A9Cce0m/M6"
    "mpEjg/xjeqZjSOsd9TZUfEsRu6ZIbZQwtjPqBVK0UlFaci0N4uTVS1lUYS6Qg1hVTkhmHy4TwQanaZyUruYA";

class BitReader {
 public:
  std::uint32_t Take(int count) {
    std::uint32_t value = 0;
    for (int i = 0; i < count; ++i, ++at_) value |= (Letter(kBits[at_ / 6]) >> (at_ % 6) & 1U) << i;
    return value;
  }

 private:
  static std::uint32_t Letter(char c) {
    const int value = c >= 'a' ? c - 'a' + 26 : c >= 'A' ? c - 'A' : c >= '0' ? c - '0' + 52 : c == '+' ? 62 : 63;
    return static_cast<std::uint32_t>(value);
  }
  std::size_t at_ = 0;
};

// Whether the powers of x modulo the polynomial of this degree run through all remainders.
inline bool IsPrimitive(std::uint32_t polynomial, int degree) {
  if (degree > 1 && std::popcount(polynomial) % 2 == 0) return false;  // x + 1 divides it
  const std::uint32_t all = (1U << degree) - 1;
  std::uint32_t power = 1;
  for (std::uint32_t i = 1; i <= all; ++i) {
    power <<= 1;
    if ((power >> degree) != 0) power ^= polynomial;
    if (power == 1) return i == all;
  }
  return false;
}

}  // namespace detail

using Directions = std::array<std::uint32_t, kMaxDigits>;

// The numbers m of one dimension after the other. one thread.
class DirectionNumbers {
 public:
  // Returns those of the next dimension; number k is less than 2^(k + 1). At most kMaxDimensions calls.
  Directions Next() {
    Directions m{};
    if (polynomial_ == 0) {
      m.fill(1);
      polynomial_ = 1;
      return m;
    }
    do {
      polynomial_ += 2;
    } while (!detail::IsPrimitive(polynomial_, static_cast<int>(std::bit_width(polynomial_)) - 1));
    const int degree = static_cast<int>(std::bit_width(polynomial_)) - 1;
    for (int k = 0; k < kMaxDigits; ++k) {
      std::uint32_t& own = m[static_cast<std::size_t>(k)];
      if (k < degree) {
        own = bits_.Take(k) << 1 | 1;
        continue;
      }
      own = m[static_cast<std::size_t>(k - degree)];
      for (int i = 1; i <= degree; ++i)
        if ((polynomial_ >> (degree - i) & 1U) != 0) own ^= m[static_cast<std::size_t>(k - i)] << i;
    }
    return m;
  }

 private:
  std::uint32_t polynomial_ = 0;
  detail::BitReader bits_;
};

}  // namespace sobol

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
