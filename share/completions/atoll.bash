# bash completion for atoll, made by `atoll completion bash`
_atoll_files() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -f -- "$1")
}

_atoll() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} i
  COMPREPLY=()
  if (( COMP_CWORD == 1 )); then
    COMPREPLY=($(compgen -W 'run repl create ps exec shell cp logs rm template secret network approve test tenant audit mcp doctor backends image config serve key completion policy version help -h --help -V --version' -- "$cur"))
    return
  fi
  case ${COMP_WORDS[1]} in
    run)
      for (( i = 2; i < COMP_CWORD; i++ )); do
        case ${COMP_WORDS[i]} in
          --language|-l|--code|-c|--image|--env|-e|--env-file|--mount|--workdir|--preload|--hostname|--backend|--memory|--cpus|--pids|--disk|--inodes|--open-files|--timeout|--max-output|--allow-net|--deny-net|--secret|--secret-host|--deny-read|--allow-write|--deny-write|--output|-o|--color) (( i++ ));;
          --) i=-1; break;;
          -?*) ;;
          *) i=-1; break;;
        esac
      done
      if (( i == -1 )); then _atoll_files "$cur"; return; fi
      case $prev in
        --language|-l) COMPREPLY=($(compgen -W 'python javascript typescript bash c cpp go java rust py js node ts sh shell' -- "$cur")); return;;
        --code|-c) COMPREPLY=(); return;;
        --image) COMPREPLY=(); return;;
        --env|-e) COMPREPLY=(); return;;
        --env-file) _atoll_files "$cur"; return;;
        --mount) compopt -o nospace; _atoll_files "$cur"; return;;
        --workdir) COMPREPLY=(); return;;
        --preload) COMPREPLY=(); return;;
        --hostname) COMPREPLY=(); return;;
        --backend) COMPREPLY=($(compgen -W 'docker native opensandbox srt' -- "$cur")); return;;
        --memory) COMPREPLY=(); return;;
        --cpus) COMPREPLY=(); return;;
        --pids) COMPREPLY=(); return;;
        --disk) COMPREPLY=(); return;;
        --inodes) COMPREPLY=(); return;;
        --open-files) COMPREPLY=(); return;;
        --timeout) COMPREPLY=(); return;;
        --max-output) COMPREPLY=(); return;;
        --allow-net) COMPREPLY=(); return;;
        --deny-net) COMPREPLY=(); return;;
        --secret) COMPREPLY=(); return;;
        --secret-host) COMPREPLY=(); return;;
        --deny-read) COMPREPLY=(); return;;
        --allow-write) COMPREPLY=(); return;;
        --deny-write) COMPREPLY=(); return;;
        --output|-o) COMPREPLY=($(compgen -W 'text json' -- "$cur")); return;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$cur")); return;;
      esac
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '-l --language -c --code --image -e --env --env-file --mount --workdir --preload --hostname --backend --memory --cpus --pids --disk --inodes --open-files --timeout --max-output --net --allow-net --deny-net --secret --secret-host --deny-read --allow-write --deny-write --writable-root -i --interactive -t --tty -o --output -q --quiet -v --verbose --color -h --help' -- "$cur")); return; fi
      _atoll_files "$cur";;
    repl)
      case $prev in
        --language|-l) COMPREPLY=($(compgen -W 'python javascript typescript bash py js node ts sh shell' -- "$cur")); return;;
        --image) COMPREPLY=(); return;;
        --env|-e) COMPREPLY=(); return;;
        --env-file) _atoll_files "$cur"; return;;
        --mount) compopt -o nospace; _atoll_files "$cur"; return;;
        --workdir) COMPREPLY=(); return;;
        --preload) COMPREPLY=(); return;;
        --hostname) COMPREPLY=(); return;;
        --backend) COMPREPLY=($(compgen -W 'docker native opensandbox srt' -- "$cur")); return;;
        --memory) COMPREPLY=(); return;;
        --cpus) COMPREPLY=(); return;;
        --pids) COMPREPLY=(); return;;
        --disk) COMPREPLY=(); return;;
        --inodes) COMPREPLY=(); return;;
        --open-files) COMPREPLY=(); return;;
        --timeout) COMPREPLY=(); return;;
        --allow-net) COMPREPLY=(); return;;
        --deny-net) COMPREPLY=(); return;;
        --secret) COMPREPLY=(); return;;
        --secret-host) COMPREPLY=(); return;;
        --deny-read) COMPREPLY=(); return;;
        --allow-write) COMPREPLY=(); return;;
        --deny-write) COMPREPLY=(); return;;
        --save) compopt -o nospace; _atoll_files "$cur"; return;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$cur")); return;;
      esac
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '-l --language --image -e --env --env-file --mount --workdir --preload --hostname --backend --memory --cpus --pids --disk --inodes --open-files --timeout --net --allow-net --deny-net --secret --secret-host --deny-read --allow-write --deny-write --writable-root --json --save -q --quiet -v --verbose --color -h --help' -- "$cur")); return; fi
      ;;
    create)
      case $prev in
        --timeout) COMPREPLY=(); return;;
        --idle-timeout) COMPREPLY=(); return;;
        --allow-net) COMPREPLY=(); return;;
        --deny-net) COMPREPLY=(); return;;
        --env|-e) COMPREPLY=(); return;;
        --label) COMPREPLY=(); return;;
        --memory) COMPREPLY=(); return;;
        --cpus) COMPREPLY=(); return;;
        --disk) COMPREPLY=(); return;;
        --pids) COMPREPLY=(); return;;
        --session-key) COMPREPLY=(); return;;
        --snapshot) COMPREPLY=(); return;;
        --output|-o) COMPREPLY=($(compgen -W 'table json yaml' -- "$cur")); return;;
        --server) COMPREPLY=(); return;;
        --key) COMPREPLY=(); return;;
        --ca-file) _atoll_files "$cur"; return;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$cur")); return;;
      esac
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '--timeout --idle-timeout --network --net --allow-net --deny-net -e --env --label --memory --cpus --disk --pids --session-key --snapshot --no-wait -o --output --server --key --ca-file --color -h --help' -- "$cur")); return; fi
      ;;
    ps)
      case $prev in
        --status) COMPREPLY=($(compgen -W 'creating ready running paused completed terminated failed' -- "$cur")); return;;
        --label) COMPREPLY=(); return;;
        --template) COMPREPLY=(); return;;
        --limit) COMPREPLY=(); return;;
        --output|-o) COMPREPLY=($(compgen -W 'table json yaml' -- "$cur")); return;;
        --server) COMPREPLY=(); return;;
        --key) COMPREPLY=(); return;;
        --ca-file) _atoll_files "$cur"; return;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$cur")); return;;
      esac
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '-a --all --status --label --template --limit -q --quiet -o --output --server --key --ca-file --color -h --help' -- "$cur")); return; fi
      ;;
    exec)
      case $prev in
        --language|-l) COMPREPLY=($(compgen -W 'python javascript typescript bash c cpp go java rust' -- "$cur")); return;;
        --code|-c) COMPREPLY=(); return;;
        --context) COMPREPLY=(); return;;
        --timeout) COMPREPLY=(); return;;
        --env|-e) COMPREPLY=(); return;;
        --workdir|-w) COMPREPLY=(); return;;
        --output|-o) COMPREPLY=($(compgen -W 'table json yaml' -- "$cur")); return;;
        --server) COMPREPLY=(); return;;
        --key) COMPREPLY=(); return;;
        --ca-file) _atoll_files "$cur"; return;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$cur")); return;;
      esac
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '-l --language -c --code --context --timeout -e --env -w --workdir -i --interactive -d --detach -o --output --server --key --ca-file --color -h --help' -- "$cur")); return; fi
      ;;
    shell)
      case $prev in
        --command|-c) COMPREPLY=(); return;;
        --workdir|-w) COMPREPLY=(); return;;
        --server) COMPREPLY=(); return;;
        --key) COMPREPLY=(); return;;
        --ca-file) _atoll_files "$cur"; return;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$cur")); return;;
      esac
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '-c --command -w --workdir --server --key --ca-file --color -h --help' -- "$cur")); return; fi
      ;;
    cp)
      case $prev in
        --server) COMPREPLY=(); return;;
        --key) COMPREPLY=(); return;;
        --ca-file) _atoll_files "$cur"; return;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$cur")); return;;
      esac
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '-q --quiet --server --key --ca-file --color -h --help' -- "$cur")); return; fi
      _atoll_files "$cur";;
    logs)
      case $prev in
        --output|-o) COMPREPLY=($(compgen -W 'table json yaml' -- "$cur")); return;;
        --server) COMPREPLY=(); return;;
        --key) COMPREPLY=(); return;;
        --ca-file) _atoll_files "$cur"; return;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$cur")); return;;
      esac
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '-f --follow -o --output --server --key --ca-file --color -h --help' -- "$cur")); return; fi
      ;;
    rm)
      case $prev in
        --label) COMPREPLY=(); return;;
        --template) COMPREPLY=(); return;;
        --server) COMPREPLY=(); return;;
        --key) COMPREPLY=(); return;;
        --ca-file) _atoll_files "$cur"; return;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$cur")); return;;
      esac
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '-a --all --label --template -y --yes --server --key --ca-file --color -h --help' -- "$cur")); return; fi
      ;;
    template)
      case $prev in
        --output|-o) COMPREPLY=($(compgen -W 'table json yaml' -- "$cur")); return;;
        --server) COMPREPLY=(); return;;
        --key) COMPREPLY=(); return;;
        --ca-file) _atoll_files "$cur"; return;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$cur")); return;;
      esac
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '--replace -o --output --server --key --ca-file --color -h --help' -- "$cur")); return; fi
      COMPREPLY=($(compgen -W 'ls show create rm' -- "$cur"));;
    secret)
      case $prev in
        --output|-o) COMPREPLY=($(compgen -W 'table json yaml' -- "$cur")); return;;
        --server) COMPREPLY=(); return;;
        --key) COMPREPLY=(); return;;
        --ca-file) _atoll_files "$cur"; return;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$cur")); return;;
      esac
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '-o --output --server --key --ca-file --color -h --help' -- "$cur")); return; fi
      COMPREPLY=($(compgen -W 'set ls rm' -- "$cur"));;
    network)
      case $prev in
        --set) _atoll_files "$cur"; return;;
        --output|-o) COMPREPLY=($(compgen -W 'table json yaml' -- "$cur")); return;;
        --server) COMPREPLY=(); return;;
        --key) COMPREPLY=(); return;;
        --ca-file) _atoll_files "$cur"; return;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$cur")); return;;
      esac
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '--set -o --output --server --key --ca-file --color -h --help' -- "$cur")); return; fi
      ;;
    approve)
      case $prev in
        --reason) COMPREPLY=(); return;;
        --remember) COMPREPLY=(); return;;
        --state) COMPREPLY=($(compgen -W 'waiting approved rejected expired cancelled' -- "$cur")); return;;
        --output|-o) COMPREPLY=($(compgen -W 'table json yaml' -- "$cur")); return;;
        --server) COMPREPLY=(); return;;
        --key) COMPREPLY=(); return;;
        --ca-file) _atoll_files "$cur"; return;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$cur")); return;;
      esac
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '--reject --reason --remember --state -o --output --server --key --ca-file --color -h --help' -- "$cur")); return; fi
      COMPREPLY=($(compgen -W 'ls show' -- "$cur"));;
    test)
      case $prev in
        --with) _atoll_files "$cur"; return;;
        --cases) _atoll_files "$cur"; return;;
        --language|-l) COMPREPLY=(); return;;
        --timeout) COMPREPLY=(); return;;
        --session) COMPREPLY=(); return;;
        --template) COMPREPLY=(); return;;
        --output|-o) COMPREPLY=($(compgen -W 'table json yaml' -- "$cur")); return;;
        --server) COMPREPLY=(); return;;
        --key) COMPREPLY=(); return;;
        --ca-file) _atoll_files "$cur"; return;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$cur")); return;;
      esac
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '--with --cases -l --language --coverage --timeout --session --template -o --output --server --key --ca-file --color -h --help' -- "$cur")); return; fi
      _atoll_files "$cur";;
    tenant)
      case $prev in
        --output|-o) COMPREPLY=($(compgen -W 'table json yaml' -- "$cur")); return;;
        --server) COMPREPLY=(); return;;
        --key) COMPREPLY=(); return;;
        --ca-file) _atoll_files "$cur"; return;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$cur")); return;;
      esac
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '-o --output --server --key --ca-file --color -h --help' -- "$cur")); return; fi
      COMPREPLY=($(compgen -W 'show set' -- "$cur"));;
    audit)
      case $prev in
        --session) COMPREPLY=(); return;;
        --output|-o) COMPREPLY=($(compgen -W 'table json yaml' -- "$cur")); return;;
        --server) COMPREPLY=(); return;;
        --key) COMPREPLY=(); return;;
        --ca-file) _atoll_files "$cur"; return;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$cur")); return;;
      esac
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '-f --follow --session -o --output --server --key --ca-file --color -h --help' -- "$cur")); return; fi
      COMPREPLY=($(compgen -W 'tail export verify' -- "$cur"));;
    mcp)
      case $prev in
        --server) COMPREPLY=(); return;;
        --key) COMPREPLY=(); return;;
        --ca-file) _atoll_files "$cur"; return;;
        --data) compopt -o nospace; _atoll_files "$cur"; return;;
        --set) COMPREPLY=(); return;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$cur")); return;;
      esac
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '--server --key --ca-file --data --set --color -h --help' -- "$cur")); return; fi
      ;;
    doctor)
      case $prev in
        --output|-o) COMPREPLY=($(compgen -W 'text json' -- "$cur")); return;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$cur")); return;;
      esac
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '--clean -o --output --color -h --help' -- "$cur")); return; fi
      ;;
    backends)
      case $prev in
        --output|-o) COMPREPLY=($(compgen -W 'text json' -- "$cur")); return;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$cur")); return;;
      esac
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '-o --output --color -h --help' -- "$cur")); return; fi
      COMPREPLY=($(compgen -W 'install' -- "$cur"));;
    image)
      case $prev in
        --name) COMPREPLY=(); return;;
        --backend) COMPREPLY=($(compgen -W 'docker native' -- "$cur")); return;;
        --max-size) COMPREPLY=(); return;;
        --output|-o) COMPREPLY=($(compgen -W 'text json' -- "$cur")); return;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$cur")); return;;
      esac
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '--name --backend --max-size -q --quiet -o --output --color -h --help' -- "$cur")); return; fi
      COMPREPLY=($(compgen -W 'import ls rm inspect' -- "$cur"));;
    config)
      case $prev in
        --config) _atoll_files "$cur"; return;;
        --data) compopt -o nospace; _atoll_files "$cur"; return;;
        --set) COMPREPLY=(); return;;
        --output|-o) COMPREPLY=($(compgen -W 'table json yaml' -- "$cur")); return;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$cur")); return;;
      esac
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '--config --data --set -o --output --color -h --help' -- "$cur")); return; fi
      COMPREPLY=($(compgen -W 'show check reference' -- "$cur"));;
    serve)
      case $prev in
        --listen) COMPREPLY=(); return;;
        --data) compopt -o nospace; _atoll_files "$cur"; return;;
        --backend) COMPREPLY=(); return;;
        --config) _atoll_files "$cur"; return;;
        --set) COMPREPLY=(); return;;
      esac
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '--listen --data --backend --no-auth --temporary --config --set -h --help' -- "$cur")); return; fi
      ;;
    key)
      case $prev in
        --data) compopt -o nospace; _atoll_files "$cur"; return;;
        --store) COMPREPLY=(); return;;
        --role) COMPREPLY=($(compgen -W 'owner admin approver user read-only' -- "$cur")); return;;
        --tenant) COMPREPLY=(); return;;
        --name) COMPREPLY=(); return;;
        --policy) COMPREPLY=(); return;;
        --secret) COMPREPLY=(); return;;
        --output|-o) COMPREPLY=($(compgen -W 'table json' -- "$cur")); return;;
      esac
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '--data --store --role --tenant --name --policy --secret --e2b -o --output -h --help' -- "$cur")); return; fi
      COMPREPLY=($(compgen -W 'create ls revoke rotate-storage' -- "$cur"));;
    completion)
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '-h --help' -- "$cur")); return; fi
      COMPREPLY=($(compgen -W 'bash zsh fish' -- "$cur"));;
    policy)
      case $prev in
        --language|-l) COMPREPLY=($(compgen -W 'python javascript typescript bash' -- "$cur")); return;;
        --output|-o) COMPREPLY=($(compgen -W 'text json sarif' -- "$cur")); return;;
        --fail-on) COMPREPLY=($(compgen -W 'low medium high critical' -- "$cur")); return;;
        --rules) _atoll_files "$cur"; return;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$cur")); return;;
      esac
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '-l --language -o --output --fail-on --rules --color -h --help' -- "$cur")); return; fi
      COMPREPLY=($(compgen -W 'check rules' -- "$cur"));;
    version)
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '-h --help' -- "$cur")); return; fi
      ;;
    help)
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '--markdown -h --help' -- "$cur")); return; fi
      COMPREPLY=($(compgen -W 'run repl create ps exec shell cp logs rm template secret network test tenant audit policy approve mcp doctor backends image config serve key completion version help' -- "$cur"));;
  esac
}
complete -F _atoll atoll
