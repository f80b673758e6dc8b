# Runs COMMAND with a watchdog beside it: sh watchdog.sh FOLDER COMMAND [ARGUMENT]...
#
# This shell leads a session of its own (setsid) and turns into COMMAND by exec, so that $$ is the
# number of COMMAND, of its process group and of its session. The watchdog is a member of that
# session, and a kernel gives no new process a number that still names a session or a group with a
# living member. While the watchdog lives, "kill -$$" therefore reaches COMMAND's group or nobody:
# no check of start times, no race. It is started by a subshell that ends at once, lest COMMAND, which
# inherits the children of this shell, wait for a child that it does not know.
#
# FOLDER/deadline   one line, "TERM_AT KILL_AT" in hundredths of a second since boot, or "never never";
#                   replaced by rename. When it is gone, the watchdog ends and kills nobody.
# FOLDER/watchdog   the watchdog's process id; a SIGTERM to it means "read the deadline again".

watch() {
    folder=$1 group=$$ napping='' told=''
    PATH=${PATH-}:/usr/bin:/bin # for sleep, rm and date, whatever COMMAND's path is
    # Signals for the group reach the watchdog too where "set -m" gave it no group of its own.
    trap '' HUP INT QUIT USR1 USR2 TSTP TTIN TTOU WINCH
    trap wake TERM
    while woken='' && members_left && read -r term_at kill_at <"$folder/deadline"; do
        if [ "$term_at" = never ]; then
            kill -0 "$group" || break
            nap 1000
            continue
        fi
        read_clock
        if [ "$now" -ge "$kill_at" ]; then
            # First the folder: without a group of its own the watchdog dies of this signal as well.
            rm -rf "$folder"
            kill -KILL "-$group"
        elif [ "$now" -lt "$term_at" ]; then
            nap $((term_at - now))
        else
            [ "$told" ] || { kill -TERM "-$group"; kill -CONT "-$group"; }
            told=yes
            nap $((kill_at - now < 10 ? kill_at - now : 10))
        fi
    done
    [ ! -d "$folder" ] || rm -rf "$folder"
}

# "kill -NAME -GROUP" is the one way to write it that bash, dash, busybox and mksh all understand.
members_left() {
    kill -0 "-$group"
}

# The clock that goes on while the machine sleeps and does not jump when somebody sets the time. Without
# it the second is rounded up, as BootClock rounds down: to be early is safe.
read_clock() {
    if read -r now idle </proc/uptime; then
        now=$((${now%.*} * 100 + 1${now#*.} - 100))
    else
        now=$(date +%s)99
    fi
}

# Sleeps so many hundredths, ten seconds at most: a machine that was suspended stops the timer of sleep.
# No wake-up is lost, nor does it kill a number that is not the nap's: while napping is not set, wake only
# leaves its mark, which is looked at here or wiped before the deadline is read again.
nap() {
    [ "$1" -le 1000 ] || set -- 1000
    (trap '' TERM; exec sleep "$(($1 / 100)).$(($1 / 10 % 10))$(($1 % 10))") &
    napping=$!
    [ -z "$woken" ] || end_nap
    # Once more after a wake-up, which interrupts the first: it leaves no zombie.
    wait "$napping" || wait "$napping"
    napping=''
}

wake() {
    woken=yes
    end_nap
}

end_nap() {
    [ -z "$napping" ] || kill -KILL "$napping"
}

# No variable is set out here: one of that name may be in COMMAND's environment.
set -m 2>/dev/null
(
    # A SIGTERM that comes before the watchdog handles it must not kill it: it reads the deadline afterwards anyway.
    trap '' TERM
    watch "$1" </dev/null >/dev/null 2>&1 &
    echo "$!" >"$1/watchdog"
)
set +m
# The locale of the caller, which the launcher has replaced. Not before, and silently: bash warns of one that is not installed.
if [ "${FENCELINE_LC_ALL+set}" ]; then
    { [ "$FENCELINE_LC_ALL" ] && export LC_ALL="$FENCELINE_LC_ALL" || unset LC_ALL; } 2>/dev/null
    unset FENCELINE_LC_ALL
fi
shift
exec "$@"
