package io.fenceline.jdbc.trigger;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.ForeignTokenException;
import io.fenceline.guard.MissingTokenException;
import io.fenceline.guard.RefusedWriteException;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.telemetry.LockEvent;
import io.fenceline.telemetry.LockListeners;
import java.sql.SQLException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads what triggers say when they refuse a write. Their messages are alike on all databases and hold both tokens; names are in
 * JSON's quotes.
 */
public final class TriggerRefusals {

    private static final String TEXT = "\"((?:[^\"\\\\]|\\\\.)*+)\"";
    private static final String WRITE =
            "write to " + TEXT + " with token ([0-9]{15}) of lock " + TEXT + "; the resource ";
    private static final Pattern STALE = Pattern.compile("fenceline: stale token: " + WRITE + "has seen ([0-9]{15})");
    private static final Pattern FOREIGN =
            Pattern.compile("fenceline: foreign token: " + WRITE + "belongs to lock " + TEXT);
    private static final Pattern MISSING =
            Pattern.compile("fenceline: (missing|malformed|unbound) token: write to " + TEXT);

    /** How PostgreSQL's trigger begins the name of what is emptied. */
    private static final String WHOLE_TABLE = "all of ";

    /** How triggers begin the name of a row that has none. */
    private static final String NO_NAME = "a row whose key is null";

    /** Messages that SQLite quotes once more. */
    private static final Pattern QUOTED = Pattern.compile("JSON path[^']*'(fenceline: .*)'", Pattern.DOTALL);

    private static final Pattern ESCAPE = Pattern.compile("\\\\(?:u([0-9a-fA-F]{4})|(.))", Pattern.DOTALL);

    private TriggerRefusals() {}

    /**
     * Tells which refusal an error is, also one that a pool, a batch or a framework wraps.
     *
     * @param e what the driver or a library threw
     * @return the refusal with the error as its cause, or empty if the error is of another kind
     */
    public static Optional<RefusedWriteException> of(Throwable e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            for (Throwable one = cause; one != null; one = next(one)) {
                Optional<RefusedWriteException> refusal = read(String.valueOf(one.getMessage()));
                if (refusal.isPresent()) {
                    refusal.get().initCause(e);
                    return refusal;
                }
            }
        }
        return Optional.empty();
    }

    private static @Nullable Throwable next(Throwable e) {
        return e instanceof SQLException sql ? sql.getNextException() : null;
    }

    private static Optional<RefusedWriteException> read(String raw) {
        Matcher quoted = QUOTED.matcher(raw);
        String message = quoted.find() ? quoted.group(1).replace("''", "'") : raw;
        Matcher stale = STALE.matcher(message);
        if (stale.find()) {
            return Optional.of(
                    new StaleTokenException(text(stale.group(1)), stamp(stale), FencingToken.parse(stale.group(4))));
        }
        Matcher foreign = FOREIGN.matcher(message);
        if (foreign.find()) {
            return Optional.of(new ForeignTokenException(
                    text(foreign.group(1)), stamp(foreign), LockKey.of(text(foreign.group(4)))));
        }
        Matcher missing = MISSING.matcher(message);
        if (!missing.find()) {
            return Optional.empty();
        }
        String resource = text(missing.group(2));
        return Optional.of(new MissingTokenException(resource, remedy(missing.group(1), resource)));
    }

    private static String remedy(String reason, String resource) {
        if (resource.startsWith(WHOLE_TABLE)) {
            return "TRUNCATE looks at no row, so no token admits it; use DELETE";
        }
        if (resource.startsWith(NO_NAME)) {
            return "such a key gives the row no name, so no token admits it; give it another key";
        }
        return reason.equals("malformed")
                ? "the stamp that its trigger saw is malformed, or the row's name is longer than 512 bytes of UTF-8, which no guard"
                        + " accepts"
                : "its table is guarded by triggers; write with StampedWrites, or call SessionStamp.set in the transaction before";
    }

    private static FenceStamp stamp(Matcher refused) {
        return new FenceStamp(LockKey.of(text(refused.group(3))), FencingToken.parse(refused.group(2)));
    }

    private static String text(String json) {
        return ESCAPE.matcher(json)
                .replaceAll(escape -> Matcher.quoteReplacement(unescaped(escape.group(1), escape.group(2))));
    }

    private static String unescaped(@Nullable String code, @Nullable String letter) {
        if (code != null) {
            return String.valueOf((char) Integer.parseInt(code, 16));
        }
        return switch (String.valueOf(letter)) {
            case "b" -> "\b";
            case "f" -> "\f";
            case "n" -> "\n";
            case "r" -> "\r";
            case "t" -> "\t";
            default -> String.valueOf(letter);
        };
    }

    /** Makes a refusal an event. */
    static void tell(RefusedWriteException refusal, LockListeners listeners) {
        if (!listeners.isOn()) {
            return;
        }
        if (refusal instanceof StaleTokenException stale) {
            listeners.emit(new LockEvent.StaleRefused(stale.resource(), stale.presented(), stale.highest()));
        } else if (refusal instanceof ForeignTokenException foreign) {
            listeners.emit(new LockEvent.ForeignRefused(foreign.resource(), foreign.presented(), foreign.owner()));
        }
    }
}
