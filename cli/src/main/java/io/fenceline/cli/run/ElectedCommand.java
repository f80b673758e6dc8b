package io.fenceline.cli.run;

import io.fenceline.FenceStamp;
import io.fenceline.RevocationReason;
import io.fenceline.cli.context.CommandContext;
import io.fenceline.cli.output.DurationText;
import io.fenceline.cli.process.ChildCommand;
import io.fenceline.cli.process.CommandStartException;
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
 * Runs the command of {@code elect}: a {@link TermProcess} in each term, until there is a reason to end.
 *
 * <p>As a {@link LockListener} it moves the command's deadline after each renewal.
 */
public final class ElectedCommand implements LockListener, LeadershipListener {

    private final List<String> words;
    private final Duration grace;
    private final boolean once;
    private final Duration pause;
    private final CommandContext context;
    private final CompletableFuture<Integer> end = new CompletableFuture<>();
    private volatile @Nullable TermProcess running;
    private volatile @Nullable RefusedWriteException refusal;
    private volatile @Nullable FenceStamp lost;

    /** Prepares the command of a candidate. */
    public ElectedCommand(List<String> words, Duration grace, boolean once, Duration pause, CommandContext context) {
        this.words = words;
        this.grace = grace;
        this.once = once;
        this.pause = pause;
        this.context = context;
    }

    /** Checks that the program exists, before anything else. */
    public void requireProgram() throws CommandStartException {
        ChildCommand.of(words.toArray(String[]::new)).program();
    }

    /** Waits for a reason to end, which may never come, and returns the exit code. */
    public int awaitEnd() throws Exception {
        try {
            return end.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    @Override
    public void on(LockEvent event) {
        TermProcess run = running;
        if (run != null && event instanceof LockEvent.Extended) {
            run.follow();
        }
        if (event instanceof LockEvent.Lost loss) {
            lost = loss.stamp();
        }
        RefusedWriteException refused = refusal;
        if (refused != null && event instanceof LockEvent.TokenRegressed) {
            endWith(refused);
        }
    }

    /** Ends the run by this failure, if there was no reason to end before. */
    void endWith(Exception why) {
        end.completeExceptionally(why);
    }

    /** Returns whether the latest term that was lost is this one. Whether it is released too matters to nobody. */
    boolean hasLost(FenceStamp stamp) {
        return stamp.equals(lost);
    }

    @Override
    public void onElected(Leadership leadership) {
        ChildCommand command = new ChildCommand(words, ChildVariables.of(leadership.grant(), context));
        TermProcess run = new TermProcess(command, leadership, grace, context.errors(), new TermProcess.Ending() {
            @Override
            public void ended(int exitStatus) {
                ElectedCommand.this.ended(leadership, exitStatus);
            }

            @Override
            public void failed(Exception why) {
                endWith(why);
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
            context.errors()
                    .print("the command ended with exit code " + exitStatus + " in " + leadership
                            + "; this candidate rejoins the election in " + DurationText.of(pause));
        }
        leadership.stepDown();
    }

    @Override
    public void onRevoked(Leadership leadership, RevocationReason reason) {
        TermProcess run = running;
        if (run != null) {
            run.stop();
            running = null;
        }
        if (reason == RevocationReason.LEASE_LOST) {
            context.errors()
                    .print(leadership + " is lost; the command was stopped; this candidate rejoins the election");
        }
    }

    /**
     * Guard decorator that ends the run if the next term would be refused as well: the resource belongs to another lock, or has
     * seen a greater token than that of a running term. A candidate that was merely overtaken rejoins.
     */
    FenceGuard endingOnRefusal(FenceGuard guard, OutageReporter outages) {
        return new FenceGuard() {
            @Override
            public void claim(String resource, FenceStamp stamp) {
                try {
                    outages.claim(() -> guard.claim(resource, stamp));
                } catch (ForeignTokenException e) {
                    endWith(e);
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
