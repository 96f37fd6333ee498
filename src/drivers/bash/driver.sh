trap : INT; eval "${BASH_EXECUTION_STRING#*$'\n'}"; __atoll_begin "$@"; set --; source "$__atoll_state"; __atoll_begun; while __atoll_next; do __atoll_options_on; eval "$__atoll_code"; { __atoll_finish "$?"; } 2>/dev/null; done; exit
# The driver of Bash contexts (docs/context-protocol.md). The line above is all that runs; it reads
# the functions below from this text first. It is one line so that the shell counts the code's lines
# from 1.
#
# Code is evaluated in this very shell, at its top level, so everything it does to the shell stays.
# When it makes the shell exit (exit, set -e, an unbound variable, an interrupt), the EXIT trap
# saves the state, starts the shell anew in the same process and restores it there. Background jobs
# go on; only the table of jobs is lost.
#
# Started as: bash --norc --noprofile -c THIS bash
# or, again:  … bash restore STDIN_FD STATE_FD RUN STATUS WAS_INTERRUPTED <&SOCKET

__atoll_shell=$BASH
__atoll_script=$BASH_EXECUTION_STRING
unset BASH_EXECUTION_STRING
__atoll_run=0             # number of the last run
__atoll_running=0         # code is being evaluated
__atoll_interrupted=0
__atoll_over=0            # the socket has ended, so shall the shell
__atoll_on=()             # what the code has set with `set -o`; off while the driver itself works
__atoll_trap_EXIT=        # the code's own traps on signals that the driver needs
__atoll_trap_INT=
__atoll_on_term='__atoll_over=1; exit 143'
__atoll_control=121       # the socket, closed on exec
__atoll_state=/dev/null   # a script that makes an earlier state again
__atoll_status=           # of the run that ended in a shell before this one

# Options that would change what the driver's own lines do.
__atoll_options=(allexport errexit errtrace functrace keyword noclobber noglob nounset pipefail
                 posix verbose xtrace)
__atoll_plain=$SHELLOPTS  # without any of them

__atoll_json_string() {  # TEXT: to __atoll_json; what is not printable ASCII becomes ?
  local LC_ALL=C text=$1
  text=${text//\\/\\\\}
  text=${text//\"/\\\"}
  text=${text//$'\n'/\\n}
  __atoll_json="\"${text//[^ -~]/?}\""
}

__atoll_send() {  # WORD BODY
  builtin printf '%s %d\n%s' "$1" "${#2}" "$2" >&"$__atoll_control"
}

__atoll_send_error() {  # ENAME EVALUE
  local ename evalue
  __atoll_json_string "$1"; ename=$__atoll_json
  __atoll_json_string "$2"; evalue=$__atoll_json
  __atoll_json_string "$1: $2"
  __atoll_send error "{\"ename\":$ename,\"evalue\":$evalue,\"traceback\":$__atoll_json}"
}

__atoll_send_done() {  # STATUS
  __atoll_send done "{\"execution_count\":$__atoll_run,\"exit_code\":$1}"
}

# Moves the socket from descriptor 3 to where no program that is started sees it. Bash cannot set
# close-on-exec, but what it keeps aside for the time of a redirection has it, and copies of that
# too.
__atoll_hide_control() {
  local fd before=
  for fd in {10..60}; do [[ -e /proc/self/fd/$fd ]] && before+=" $fd "; done
  {
    for fd in {10..60}; do
      [[ -S /proc/self/fd/$fd && $before != *" $fd "* ]] && break
    done
    builtin eval "exec $__atoll_control<&$fd"
  } 3>&-
  exec 3>&-
}

# Waits for the next code, and leaves it in __atoll_code.
__atoll_next() {
  local REPLY  # without a name nothing is split at IFS, which is the code's
  while :; do
    if ! LC_ALL=C builtin read -r -u "$__atoll_control"; then
      __atoll_over=1
      exit 0
    fi
    __atoll_read_body "${REPLY##* }"
    [[ $REPLY == 'run '* ]] && break
  done
  __atoll_run=$((__atoll_run + 1))
  if [[ -n $__atoll_has_nul ]]; then
    __atoll_send_error SyntaxError 'the code has a NUL byte in it'
    __atoll_send_done 2
    __atoll_code=
    __atoll_next
    return
  fi
  __atoll_running=1
}

# Exactly LENGTH bytes. A long body goes through head, as the shell reads a socket byte by byte.
__atoll_read_body() {  # LENGTH
  local REPLY left=$1
  __atoll_code= __atoll_has_nul=
  if ((left > 65536)) && builtin type -P head >/dev/null; then
    { __atoll_code=$(head -c "$left" <&"$__atoll_control"; builtin printf x); } 2>/dev/null
    __atoll_code=${__atoll_code%x}
    __atoll_byte_length "$__atoll_code"
    ((__atoll_length == left)) || __atoll_has_nul=1
    return
  fi
  while ((left > 0)); do
    if ! LC_ALL=C builtin read -r -d '' -n "$left" -u "$__atoll_control"; then
      __atoll_over=1
      exit 0
    fi
    __atoll_byte_length "$REPLY"
    left=$((left - __atoll_length))
    __atoll_code+=$REPLY
    ((left == 0)) || { __atoll_has_nul=1; left=$((left - 1)); }
  done
}

__atoll_byte_length() {  # TEXT: to __atoll_length
  local LC_ALL=C
  __atoll_length=${#1}
}

# After the code: its status decides. Its options are put aside.
__atoll_finish() {  # STATUS
  __atoll_running=0
  __atoll_options_off
  __atoll_code_failed "$1"
  __atoll_send_done "$1"
  __atoll_set_traps  # an exec that failed has cleared them
}

__atoll_set_traps() {
  builtin trap '__atoll_exit "$?" "$@"' EXIT
  builtin trap __atoll_interrupt INT
}

__atoll_options_off() {
  local option
  __atoll_on=()
  [[ $SHELLOPTS == "$__atoll_plain" ]] && return
  for option in "${__atoll_options[@]}"; do
    [[ :$SHELLOPTS: != *:"$option":* ]] || __atoll_on+=("$option")
  done
  for option in "${__atoll_on[@]}"; do set +o "$option"; done
  declare -g +x __atoll_running  # allexport may have caught it
}

__atoll_options_on() {
  local option
  for option in "${__atoll_on[@]}"; do set -o "$option"; done
}

# A shell says 2 to code that does not parse, but other things say it too: only the parser knows.
__atoll_code_failed() {  # STATUS
  local complaint line base evalue=
  (($1 == 2)) || return 0
  base=$LINENO; complaint=$(builtin trap - EXIT INT; eval "set -n"$'\n'"$__atoll_code" 2>&1)
  while IFS= builtin read -r line; do
    [[ $line =~ line\ ([0-9]+):\ (.*) ]] || continue
    evalue+="${evalue:+$'\n'}line $((BASH_REMATCH[1] - base - 1)): ${BASH_REMATCH[2]}"
  done <<<"$complaint"
  [[ $evalue == *'syntax error'* || $evalue == *'unexpected EOF'* ]] || return 0
  __atoll_send_error SyntaxError "$evalue"
}

# Stands for the builtin: the driver needs EXIT and INT for itself, and runs the code's own with
# them.
trap() {
  local action signal others=()
  if [[ $BASHPID != "$$" ]]; then
    builtin trap "$@"
    return
  fi
  [[ ${1-} == -- ]] && shift
  if (($# == 0)) || [[ $1 == -[plP]* ]]; then
    builtin trap "$@" | while IFS= builtin read -r action; do
      [[ $action == *__atoll_* ]] || builtin printf '%s\n' "$action"
    done
    for signal in EXIT INT; do
      action=__atoll_trap_$signal
      [[ -z ${!action} || (${1-} == -p && $# -gt 1 && " ${*:2} " != *" $signal "*) ]] ||
        builtin printf 'trap -- %s %s\n' "${!action@Q}" "$signal"
    done
    return 0
  fi
  action=-
  (($# == 1)) || { action=$1; shift; }
  for signal in "$@"; do
    case ${signal^^} in
      EXIT | SIGEXIT | 0) __atoll_trap_EXIT=${action#-} ;;
      INT | SIGINT | 2) __atoll_trap_INT=${action#-} ;;
      ERR | DEBUG | RETURN)  # a function cannot take these away, only change them
        [[ $action != - ]] && builtin trap -- "$action" "$signal" || builtin trap : "$signal" ;;
      TERM | SIGTERM | 15)
        [[ $action != - ]] && builtin trap -- "$action" TERM || builtin trap "$__atoll_on_term" TERM ;;
      *) others+=("$signal") ;;
    esac
  done
  ((${#others[@]} == 0)) || builtin trap -- "$action" "${others[@]}"
}

__atoll_interrupt() {
  [[ $__atoll_running == 1 && $BASHPID == "$$" ]] || return 0
  __atoll_running=0
  __atoll_interrupted=1
  [[ -z $__atoll_trap_INT ]] || (eval "$__atoll_trap_INT")
  exit 130
}

# The EXIT trap. The code's own runs in a shell below, as it may exit itself.
__atoll_exit() {  # STATUS [POSITIONAL…]
  [[ $BASHPID == "$$" ]] || return  # a shell below that a signal ended before it had forgotten the trap
  { __atoll_running=0; set +x; } 2>/dev/null
  __atoll_options_off
  ((__atoll_over)) && return
  builtin trap '' INT  # for the shells below too
  __atoll_status=$1
  shift
  ((${#FUNCNAME[@]} == 1)) || set --
  if [[ -n $__atoll_trap_EXIT ]]; then
    (builtin trap - EXIT; (exit "$__atoll_status"); eval "$__atoll_trap_EXIT")
  fi
  [[ -e /proc/self/fd/$__atoll_control ]] || __atoll_on_term='__atoll_over=1; exit 143'
__atoll_control=121       # the socket, closed on exec
  __atoll_state=$(__atoll_save "$@")
  builtin trap - 1 {3..8} {10..18} {20..31}  # an ignored signal would stay so for good
  __atoll_state_fd=
  exec {__atoll_stdin_fd}<&0
  exec {__atoll_state_fd}<<<"$__atoll_state"
  builtin trap : INT  # SIGINT kills only from here to the first command of the new shell
  exec "$__atoll_shell" --norc --noprofile -c "$__atoll_script" "$0" \
    restore "$__atoll_stdin_fd" "$__atoll_state_fd" "$__atoll_run" "$__atoll_status" \
    "$__atoll_interrupted" <&"$__atoll_control"  # a copy at 0, 1 or 2 is not closed on exec
}

# Prints what a new shell must be told. Open descriptors, folder and umask come with the process.
__atoll_save() {  # [POSITIONAL…]
  local __atoll_name
  exec 2>/dev/null
  ((${#FUNCNAME[@]} <= 2)) || __atoll_show_globals
  builtin printf '__atoll_trap_INT=%q\n' "$__atoll_trap_INT"
  for __atoll_name in "${__atoll_on[@]}"; do
    builtin printf '__atoll_on+=(%s)\n' "$__atoll_name"
  done
  shopt -p
  for __atoll_name in IFS PATH; do
    [[ -v $__atoll_name ]] || builtin printf 'unset %s\n' "$__atoll_name"
  done
  while IFS= builtin read -r __atoll_name; do
    __atoll_is_own "$__atoll_name" || declare -p "$__atoll_name"
  done < <(compgen -v)
  while builtin read -r _ _ __atoll_name; do
    [[ $__atoll_name == trap || $__atoll_name == __atoll_* ]] || declare -f "$__atoll_name"
  done < <(declare -F)
  declare -Fx
  builtin trap -p | while IFS= builtin read -r __atoll_name; do
    [[ $__atoll_name == *__atoll_* ]] || builtin printf '%s\n' "$__atoll_name"
  done
  (($# == 0)) || builtin printf 'set -- %s\n' "${*@Q}"
  alias -p
}

# Variables of the shell's own and of the driver.
__atoll_is_own() {  # NAME
  case $1 in
    BASH_COMPAT | BASH_ENV | BASH_XTRACEFD) return 1 ;;
    BASH | BASH_* | BASHOPTS | BASHPID | COMP_* | COMPREPLY | DIRSTACK | EPOCH* | EUID) ;;
    FUNCNAME | GROUPS | HISTCMD | LINENO | PIPESTATUS | PPID | RANDOM | SECONDS | SHELLOPTS) ;;
    SRANDOM | UID | _ | __atoll_*) ;;
    *) return 1 ;;
  esac
}

# An exit within a function leaves the function's own variables in front of the global ones.
# `declare -g` reaches the global one, so a mark on it tells which is seen; `unset` from a deeper
# function takes the foremost away.
__atoll_show_globals() {
  local __atoll_name __atoll_tries
  while IFS= builtin read -r __atoll_name; do
    __atoll_is_own "$__atoll_name" && continue
    declare -g -t "$__atoll_name" || continue
    for __atoll_tries in "${FUNCNAME[@]}"; do
      [[ ${!__atoll_name@a} != *t* ]] || break
      [[ $(declare -p "$__atoll_name") != 'declare -'*([!t ])t* ]] || break
      unset -v "$__atoll_name" || break
    done
    declare -g +t "$__atoll_name"
  done < <(compgen -v)
}

__atoll_begin() {  # [restore STDIN_FD STATE_FD RUN STATUS WAS_INTERRUPTED]
  __atoll_set_traps
  builtin trap "$__atoll_on_term" TERM
  shopt -s expand_aliases execfail
  if [[ ${1-} == restore ]]; then
    __atoll_stdin_fd=$2
    exec 3<&0 0<&"$__atoll_stdin_fd" {__atoll_stdin_fd}<&-
    __atoll_state_fd=$3 __atoll_run=$4 __atoll_status=$5 __atoll_interrupted=$6
    [[ -z $__atoll_state_fd ]] || __atoll_state=/proc/self/fd/$__atoll_state_fd
  fi
  __atoll_hide_control
}

# The state has been read.
__atoll_begun() {
  if [[ -z $__atoll_status ]]; then
    __atoll_send ready "{\"language\":\"bash\",\"version\":\"${BASH_VERSION%%[!0-9.]*}\"}"
    return
  fi
  [[ -z $__atoll_state_fd ]] || exec {__atoll_state_fd}<&-
  ((__atoll_interrupted)) && __atoll_send_error Interrupted 'the run was interrupted'
  __atoll_interrupted=0
  __atoll_send_done "$__atoll_status"
}
