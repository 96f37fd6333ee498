builtin trap : INT; builtin eval "${BASH_EXECUTION_STRING#*$'\n'}"; __atoll_begin "$@"; builtin set --; builtin source "$__atoll_state" 2>/dev/null; __atoll_begun 2>/dev/null; until __atoll_next; (($? != 1)); do __atoll_options_on; builtin eval "$__atoll_code"; { __atoll_finish "$?"; } 2>/dev/null; done; builtin exit; exit
# The driver of Bash contexts (docs/context-protocol.md). The line above is all that runs; it reads
# the functions below from this text first. It is one line so that the shell counts the code's lines
# from 1.
#
# Code is evaluated in this very shell, at its top level, so everything it does to the shell stays.
# When it makes the shell exit (exit, set -e, an unbound variable, an interrupt), the EXIT trap
# saves the state, starts the shell anew in the same process and restores it there. Background jobs
# go on; only the table of jobs is lost.
#
# The code may call its functions like builtins and make any variable read-only. So builtins are
# called by `builtin`, and no variable of a name that the code may use is assigned to. `exec` alone
# cannot be called so where it is to change descriptors for good: that happens where no function of
# the code is known. A shell that executes nothing any more (set -n) ends, as the loop above is one
# of `until`, and so does one whose driver the code has unset.
#
# Started as: bash --norc --noprofile -c THIS bash
# or, again:  … bash restore STDIN_FD STATE_FD RUN STATUS WAS_INTERRUPTED <&SOCKET

__atoll_shell=$BASH
__atoll_script=$BASH_EXECUTION_STRING
builtin unset BASH_EXECUTION_STRING
__atoll_run=0             # number of the last run
__atoll_running=0         # code is being evaluated
__atoll_interrupted=0
__atoll_over=0            # the socket has ended, so shall the shell
__atoll_on=()             # what the code has set with `set -o`; off while the driver itself works
__atoll_trap_EXIT=        # the code's own traps on signals that the driver needs
__atoll_trap_INT=
__atoll_trap_DEBUG=       # and those that `trap -p` does not show in a function
__atoll_trap_ERR=
__atoll_trap_RETURN=
__atoll_on_term='__atoll_over=1; builtin exit 143'
__atoll_control=121       # the socket, closed on exec
__atoll_head=             # the programs, if there are any
__atoll_wc=
__atoll_state=/dev/null   # a script that makes an earlier state again
__atoll_status=           # of the run that ended in a shell before this one

# Options that would change what the driver's own lines do.
__atoll_options=(allexport errexit errtrace functrace keyword noclobber noglob nounset pipefail
                 posix verbose xtrace)
__atoll_plain=$SHELLOPTS  # without any of them
builtin readonly __atoll_{shell,script,on_term,control,options,plain}

__atoll_json_string() {  # TEXT: to __atoll_json; what is not printable ASCII becomes ?
  [[ ${LC_ALL@a} == *r* ]] || builtin local LC_ALL=C
  builtin local __atoll_text="$1"
  __atoll_text=${__atoll_text//\\/\\\\}
  __atoll_text=${__atoll_text//\"/\\\"}
  __atoll_text=${__atoll_text//$'\n'/\\n}
  __atoll_json="\"${__atoll_text//[^ -~]/?}\""
}

__atoll_send() {  # WORD BODY
  builtin printf '%s %d\n%s' "$1" "${#2}" "$2" >&"$__atoll_control"
}

__atoll_send_error() {  # ENAME EVALUE
  builtin local __atoll_ename __atoll_evalue
  __atoll_json_string "$1"; __atoll_ename=$__atoll_json
  __atoll_json_string "$2"; __atoll_evalue=$__atoll_json
  __atoll_json_string "$1: $2"
  __atoll_send error \
    "{\"ename\":$__atoll_ename,\"evalue\":$__atoll_evalue,\"traceback\":$__atoll_json}"
}

__atoll_send_done() {  # STATUS
  builtin local __atoll_stat __atoll_name __atoll_user=0 __atoll_system=0
  builtin mapfile -t -n 1 __atoll_stat </proc/self/stat  # words 14 to 17: hundredths of a second
  __atoll_stat=${__atoll_stat#*) * * * * * * * * * * * }
  for __atoll_name in user system user system; do  # of the shell, then of programs that ended
    ((__atoll_$__atoll_name += ${__atoll_stat%% *}0000))
    __atoll_stat=${__atoll_stat#* }
  done
  __atoll_send done "{\"execution_count\":$__atoll_run,\"exit_code\":$1,\
\"cpu_user_us\":$__atoll_user,\"cpu_system_us\":$__atoll_system}"
}

# Moves the socket from descriptor 3 to where no program that is started sees it. Bash cannot set
# close-on-exec, but what it keeps aside for the time of a redirection has it, and copies of that
# too.
__atoll_hide_control() {
  builtin local __atoll_fd __atoll_before=
  for __atoll_fd in {10..60}; do
    [[ -e /proc/self/fd/$__atoll_fd ]] && __atoll_before+=" $__atoll_fd "
  done
  {
    for __atoll_fd in {10..60}; do
      [[ -S /proc/self/fd/$__atoll_fd && $__atoll_before != *" $__atoll_fd "* ]] && builtin break
    done
    builtin eval "exec $__atoll_control<&$__atoll_fd"
  } 3>&-
  exec 3>&-
}

# Waits for the next code, and leaves it in __atoll_code. Its status is 1 then: see above.
__atoll_next() {
  __atoll_probe=
  builtin printf -v __atoll_probe x
  [[ $__atoll_probe == x ]] || { __atoll_over=1; return 70; }  # the code has taken `builtin` away
  ((!__atoll_running)) || __atoll_end 70  # no descriptor was left to tell of the last run's end
  while builtin :; do
    builtin mapfile -t -n 1 -u "$__atoll_control" __atoll_header
    ((${#__atoll_header[@]})) || __atoll_end 0
    __atoll_read_body "${__atoll_header[0]##* }" 2>/dev/null  # the code's LC_ALL may not exist
    [[ ${__atoll_header[0]} == 'run '* ]] || builtin continue
    __atoll_run=$((__atoll_run + 1))
    [[ -n $__atoll_has_nul ]] || builtin break
    __atoll_send_error SyntaxError 'the code has a NUL byte in it'
    __atoll_send_done 2
  done
  __atoll_running=1
  builtin return 1
}

__atoll_end() {  # STATUS
  __atoll_over=1
  builtin exit "$1"
}

# Exactly LENGTH bytes. A long body goes through head, as the shell reads a socket byte by byte. So
# does one that must not be read to REPLY, which without a name is not split at the code's IFS.
__atoll_read_body() {  # LENGTH
  builtin local __atoll_left="$1"
  __atoll_code= __atoll_has_nul=
  if [[ -n $__atoll_head && ($__atoll_left -gt 65536 || ${REPLY@a}${LC_ALL@a} == *[ri]*) ]]; then
    { __atoll_code=$(
      builtin command "$__atoll_head" -c "$__atoll_left" <&"$__atoll_control"
      builtin printf x
    ); } 2>/dev/null
    __atoll_code=${__atoll_code%x}
    __atoll_length=$__atoll_left
    __atoll_byte_length "$__atoll_code"
    ((__atoll_length == __atoll_left)) || __atoll_has_nul=1
    builtin return
  fi
  builtin local REPLY || __atoll_end 70
  while ((__atoll_left > 0)); do
    LC_ALL=C builtin read -r -d '' -n "$__atoll_left" -u "$__atoll_control" || __atoll_end 0
    __atoll_byte_length "$REPLY"
    __atoll_left=$((__atoll_left - __atoll_length))
    __atoll_code+=$REPLY
    ((__atoll_left == 0)) || { __atoll_has_nul=1; __atoll_left=$((__atoll_left - 1)); }
  done
}

__atoll_byte_length() {  # TEXT: to __atoll_length
  if [[ ${LC_ALL@a} == *r* ]]; then
    [[ -z $__atoll_wc ]] ||
      __atoll_length=$(builtin printf %s "$1" | builtin command "$__atoll_wc" -c)
    builtin return
  fi
  builtin local LC_ALL=C
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
  builtin local __atoll_option
  __atoll_on=()
  [[ $SHELLOPTS == "$__atoll_plain" ]] && builtin return
  for __atoll_option in "${__atoll_options[@]}"; do
    [[ :$SHELLOPTS: != *:"$__atoll_option":* ]] || __atoll_on+=("$__atoll_option")
  done
  for __atoll_option in "${__atoll_on[@]}"; do builtin set +o "$__atoll_option"; done
  builtin declare -g +x __atoll_running  # allexport may have caught it
}

__atoll_options_on() {
  builtin local __atoll_option
  for __atoll_option in "${__atoll_on[@]}"; do builtin set -o "$__atoll_option"; done
}

# A shell says 2 to code that does not parse, but other things say it too: only the parser knows.
__atoll_code_failed() {  # STATUS
  (($1 == 2)) || builtin return 0
  builtin local __atoll_text __atoll_lines __atoll_line __atoll_base __atoll_complaint=
  __atoll_text="builtin echo \$LINENO; builtin set -n"$'\n'"$__atoll_code"
  __atoll_text=$(builtin trap - EXIT INT; builtin eval "$__atoll_text" 2>&1)
  builtin mapfile -t __atoll_lines <<<"$__atoll_text"
  __atoll_base=${__atoll_lines[0]}
  for __atoll_line in "${__atoll_lines[@]}"; do
    [[ $__atoll_line =~ line\ ([0-9]+):\ (.*) ]] || builtin continue
    __atoll_line="line $((BASH_REMATCH[1] - __atoll_base)): ${BASH_REMATCH[2]}"
    __atoll_complaint+=${__atoll_complaint:+$'\n'}$__atoll_line
  done
  [[ $__atoll_complaint == *'syntax error'* || $__atoll_complaint == *'unexpected EOF'* ]] ||
    builtin return 0
  __atoll_send_error SyntaxError "$__atoll_complaint"
}

# Stands for the builtin: the driver needs EXIT and INT for itself, and runs the code's own with
# them.
trap() {
  if [[ $BASHPID != "$$" ]]; then
    builtin trap "$@"
    builtin return
  fi
  [[ ${1-} == -- ]] && builtin shift
  if (($# == 0)) || [[ $1 == -[plP]* ]]; then
    __atoll_show_traps "$@"
    builtin return
  fi
  builtin local __atoll_action=- __atoll_signal
  builtin local -a __atoll_others
  __atoll_others=()
  (($# == 1)) || { __atoll_action=$1; builtin shift; }
  for __atoll_signal in "$@"; do
    case ${__atoll_signal^^} in
      EXIT | SIGEXIT | 0) __atoll_trap_EXIT=${__atoll_action#-} ;;
      INT | SIGINT | 2) __atoll_trap_INT=${__atoll_action#-} ;;
      ERR | DEBUG | RETURN)  # a function cannot take these away, only change them
        builtin printf -v "__atoll_trap_${__atoll_signal^^}" %s "${__atoll_action#-}"
        [[ $__atoll_action != - ]] && builtin trap -- "$__atoll_action" "$__atoll_signal" ||
          builtin trap : "$__atoll_signal" ;;
      TERM | SIGTERM | 15)
        [[ $__atoll_action != - ]] && builtin trap -- "$__atoll_action" TERM ||
          builtin trap "$__atoll_on_term" TERM ;;
      *) __atoll_others+=("$__atoll_signal") ;;
    esac
  done
  ((${#__atoll_others[@]} == 0)) || builtin trap -- "$__atoll_action" "${__atoll_others[@]}"
}

__atoll_show_traps() {  # [-p [SIGNAL…]]
  builtin local __atoll_text __atoll_lines __atoll_action __atoll_signal
  __atoll_text=$(builtin trap "$@")
  [[ -z $__atoll_text ]] || builtin mapfile -t __atoll_lines <<<"$__atoll_text"
  for __atoll_action in "${__atoll_lines[@]}"; do
    [[ $__atoll_action == *__atoll_* ]] || builtin printf '%s\n' "$__atoll_action"
  done
  for __atoll_signal in EXIT INT; do
    __atoll_action=__atoll_trap_$__atoll_signal
    [[ -z ${!__atoll_action} ||
      (${1-} == -p && $# -gt 1 && " ${*:2} " != *" $__atoll_signal "*) ]] ||
      builtin printf 'trap -- %s %s\n' "${!__atoll_action@Q}" "$__atoll_signal"
  done
}

__atoll_interrupt() {
  [[ $__atoll_running == 1 && $BASHPID == "$$" ]] || builtin return 0
  __atoll_running=0
  __atoll_interrupted=1
  [[ -z $__atoll_trap_INT ]] || (builtin eval "$__atoll_trap_INT")
  builtin exit 130
}

# The EXIT trap. The code's own runs in a shell below, as it may exit itself.
__atoll_exit() {  # STATUS [POSITIONAL…]
  # A shell below that a signal ended before it had forgotten the trap is none of ours.
  [[ $BASHPID == "$$" ]] || builtin return
  { __atoll_running=0; builtin set +x; } 2>/dev/null
  __atoll_options_off
  ((__atoll_over)) && { builtin return; return; }  # the second where there is no `builtin`
  builtin trap '' INT  # for the shells below too
  __atoll_status=$1
  builtin shift
  ((${#FUNCNAME[@]} == 1)) || builtin set --
  if [[ -n $__atoll_trap_EXIT ]]; then
    (
      builtin trap - EXIT
      (builtin exit "$__atoll_status")
      builtin eval "$__atoll_trap_EXIT"
    )
  fi
  __atoll_state=$(__atoll_save "$@" 2>/dev/null)
  builtin trap - 1 {3..8} {10..18} {20..31}  # an ignored signal would stay so for good
  __atoll_state_fd=
  builtin exec {__atoll_stdin_fd}<&0
  builtin exec {__atoll_state_fd}<<<"$__atoll_state"
  builtin trap : INT  # SIGINT kills only from here to the first command of the new shell
  builtin exec "$__atoll_shell" --norc --noprofile -c "$__atoll_script" "$0" \
    restore "$__atoll_stdin_fd" "$__atoll_state_fd" "$__atoll_run" "$__atoll_status" \
    "$__atoll_interrupted" <&"$__atoll_control"  # a copy at 0, 1 or 2 is not closed on exec
}

# Prints what a new shell must be told. Open descriptors, folder and umask come with the process.
__atoll_save() {  # [POSITIONAL…]
  builtin local __atoll_names __atoll_name
  ((${#FUNCNAME[@]} <= 2)) || __atoll_show_globals
  builtin printf 'exec {__atoll_state_fd}<&-\n'  # it is read as a whole
  for __atoll_name in "${__atoll_on[@]}"; do
    builtin printf '__atoll_on+=(%s)\n' "$__atoll_name"
  done
  builtin shopt -p
  for __atoll_name in IFS PATH; do
    [[ -v $__atoll_name ]] || builtin printf 'unset %s\n' "$__atoll_name"
  done
  builtin mapfile -t __atoll_names < <(builtin compgen -v)
  for __atoll_name in "${__atoll_names[@]}"; do
    __atoll_is_own "$__atoll_name" || builtin declare -p "$__atoll_name"
  done
  (($# == 0)) || builtin printf 'set -- %s\n' "${*@Q}"
  __atoll_save_traps
  builtin mapfile -t __atoll_names < <(builtin compgen -A function)
  for __atoll_name in "${__atoll_names[@]}"; do
    [[ $__atoll_name == trap || $__atoll_name == __atoll_* ]] || builtin declare -f "$__atoll_name"
  done
  builtin mapfile -t __atoll_names < <(builtin declare -Fx)
  ((${#__atoll_names[@]} == 0)) || builtin printf 'builtin %s\n' "${__atoll_names[@]}"
  for __atoll_name in "${!BASH_ALIASES[@]}"; do
    builtin printf 'builtin alias -- %q=%q\n' "$__atoll_name" "${BASH_ALIASES[$__atoll_name]}"
  done
}

__atoll_save_traps() {
  builtin local __atoll_name __atoll_lines
  builtin printf '__atoll_trap_INT=%q\n' "$__atoll_trap_INT"
  builtin trap -p | while builtin mapfile -t -n 1 __atoll_lines; do
    ((${#__atoll_lines[@]})) || builtin break
    [[ ${__atoll_lines[0]} == *@(__atoll_*| SIGINT) ]] ||
      builtin printf '%s\n' "${__atoll_lines[0]}"
  done
  for __atoll_name in ERR RETURN DEBUG; do
    __atoll_lines=__atoll_trap_$__atoll_name
    [[ -z ${!__atoll_lines} ]] ||
      builtin printf 'trap -- %q %s\n' "${!__atoll_lines}" "$__atoll_name"
  done
}

# Variables of the shell's own and of the driver.
__atoll_is_own() {  # NAME
  case $1 in
    BASH_COMPAT | BASH_ENV | BASH_XTRACEFD) builtin return 1 ;;
    BASH | BASH_* | BASHOPTS | BASHPID | COMP_* | COMPREPLY | DIRSTACK | EPOCH* | EUID) ;;
    FUNCNAME | GROUPS | HISTCMD | LINENO | PIPESTATUS | PPID | RANDOM | SECONDS | SHELLOPTS) ;;
    SRANDOM | UID | _ | __atoll_*) ;;
    *) builtin return 1 ;;
  esac
}

# An exit within a function leaves the function's own variables in front of the global ones.
# `declare -g` reaches the global one, so a mark on it tells which is seen; `unset` from a deeper
# function takes the foremost away.
__atoll_show_globals() {
  builtin local __atoll_names __atoll_name __atoll_tries
  builtin mapfile -t __atoll_names < <(builtin compgen -v)
  for __atoll_name in "${__atoll_names[@]}"; do
    __atoll_is_own "$__atoll_name" && builtin continue
    builtin declare -g -t "$__atoll_name" || builtin continue
    for __atoll_tries in "${FUNCNAME[@]}"; do
      [[ ${!__atoll_name@a} != *t* ]] || builtin break
      [[ $(builtin declare -p "$__atoll_name") != 'declare -'*([!t ])t* ]] || builtin break
      builtin unset -v "$__atoll_name" || builtin break
    done
    builtin declare -g +t "$__atoll_name"
  done
}

__atoll_begin() {  # [restore STDIN_FD STATE_FD RUN STATUS WAS_INTERRUPTED]
  # If the code has exported its own, the state brings them back.
  builtin unset -f alias declare exec set shopt unset
  __atoll_set_traps
  builtin trap "$__atoll_on_term" TERM
  builtin shopt -s expand_aliases execfail
  __atoll_find head
  __atoll_find wc
  if [[ ${1-} == restore ]]; then
    __atoll_stdin_fd=$2
    exec 3<&0 0<&"$__atoll_stdin_fd" {__atoll_stdin_fd}<&-
    __atoll_state_fd=$3 __atoll_run=$4 __atoll_status=$5 __atoll_interrupted=$6
    [[ -z $__atoll_state_fd ]] || __atoll_state=/proc/self/fd/$__atoll_state_fd
  fi
  __atoll_hide_control
}

__atoll_find() {  # PROGRAM: to __atoll_PROGRAM
  builtin local __atoll_path
  for __atoll_path in /usr/bin/"$1" /bin/"$1"; do
    [[ -x $__atoll_path ]] || builtin continue
    builtin printf -v "__atoll_$1" %s "$__atoll_path"
    builtin return
  done
}

# The state has been read.
__atoll_begun() {
  if [[ -z $__atoll_status ]]; then
    __atoll_send ready "{\"language\":\"bash\",\"version\":\"${BASH_VERSION%%[!0-9.]*}\"}"
    builtin return
  fi
  ((__atoll_interrupted)) && __atoll_send_error Interrupted 'the run was interrupted'
  __atoll_interrupted=0
  __atoll_send_done "$__atoll_status"
}
