package io.fenceline.cli;

import io.fenceline.FenceStamp;
import io.fenceline.RevocationReason;
import io.fenceline.cli.process.Command;
import io.fenceline.cli.process.CommandException;
import io.fenceline.election.Leadership;
import io.fenceline.election.LeadershipListener;
import io.fenceline.guard.FenceGuard;
import io.fenceline.guard.ForeignTokenException;
import io.fenceline.guard.RefusedWriteException;
import io.fenceline.guard.Verdict;
import io.fenceline.telemetry.LockEvent;
import io.fenceline.telemetry.LockListener;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Runs the command of {@code elect}: a {@link TermRun} in each term, until there is a reason to end.
 *
 * <p>As a {@link LockListener} it is told of renewals, and has the command's deadline moved with them.
 */
final class Terms implements LockListener, LeadershipListener {

    private final List<String> words;
    private final Duration grace;
    private final boolean once;
    private final Duration pause;
    private final Fenceline root;
    private final CompletableFuture<Integer> end = new CompletableFuture<>();
    private volatile @Nullable TermRun running;
    private volatile @Nullable RefusedWriteException refusal;

    /**
     * Prepares the terms of a candidate.
     *
     * @param words the command
     * @param grace from asking the command to stop to killing it
     * @param once whether the command's own end is the end of it all
     * @param pause how long the candidate stands back after the command's own end
     * @param root who is told what goes wrong
     */
    Terms(List<String> words, Duration grace, boolean once, Duration pause, Fenceline root) {
        this.words = words;
        this.grace = grace;
        this.once = once;
        this.pause = pause;
        this.root = root;
    }

    /** Has a missing program told before anything else. */
    void requireProgram() throws CommandException {
        Command.of(words.toArray(String[]::new)).program();
    }

    /**
     * Waits for a reason to end, which may never come.
     *
     * @return the exit code
     * @throws Exception why no term can be spent as it should be
     */
    int awaitEnd() throws Exception {
        try {
            return end.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    @Override
    public void on(LockEvent event) {
        TermRun run = running;
        if (run != null && event instanceof LockEvent.Extended) {
            run.follow();
        }
        RefusedWriteException refused = refusal;
        if (refused != null && event instanceof LockEvent.TokenRegressed) {
            end.completeExceptionally(refused);
        }
    }

    @Override
    public void onElected(Leadership leadership) {
        Command command = new Command(words, ChildVariables.of(leadership.grant(), root));
        TermRun run = new TermRun(command, leadership, grace, root.complaints(), new TermRun.Ending() {
            @Override
            public void ended(int exitStatus) {
                Terms.this.ended(leadership, exitStatus);
            }

            @Override
            public void failed(Exception why) {
                end.completeExceptionally(why);
            }
        });
        running = run;
        run.start();
    }

    private void ended(Leadership leadership, int exitStatus) {
        if (once) {
            end.complete(exitStatus);
            return;
        }
        if (exitStatus != 0) {
            root.complaints()
                    .tell("the command ended with exit code " + exitStatus + " in " + leadership
                            + "; this candidate takes part again in " + DurationText.of(pause));
        }
        leadership.stepDown();
    }

    @Override
    public void onRevoked(Leadership leadership, RevocationReason reason) {
        TermRun run = running;
        if (run != null) {
            run.stop();
            running = null;
        }
        if (reason == RevocationReason.LEASE_LOST) {
            root.complaints()
                    .tell(leadership + " is lost; the command was stopped, and this candidate takes part again");
        }
    }

    /**
     * The same guard. A claim that it refuses is the end if the next term would be refused as well: the resource belongs to another
     * lock, or has seen a greater token than a term that still runs. Who was merely overtaken takes part again.
     */
    FenceGuard toldOfRefusals(FenceGuard guard) {
        return new FenceGuard() {
            @Override
            public void claim(String resource, FenceStamp stamp) {
                try {
                    guard.claim(resource, stamp);
                } catch (ForeignTokenException e) {
                    end.completeExceptionally(e);
                    throw e;
                } catch (RefusedWriteException e) {
                    refusal = e;
                    throw e;
                }
            }

            @Override
            public Verdict check(String resource, FenceStamp stamp) {
                return guard.check(resource, stamp);
            }

            @Override
            public Optional<FenceStamp> highest(String resource) {
                return guard.highest(resource);
            }
        };
    }
}
