package io.fenceline.sqlite;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import java.nio.file.Path;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.sqlite.NativeLibraryNotFoundException;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** Translates SQLite's errors: what happened to which file, and what to do about it. */
final class SqliteErrors {

    /** SQLite's extended codes carry the primary one in their lowest byte. */
    private static final int PRIMARY = 0xff;

    private final Path file;
    private final Effect unclear;

    private SqliteErrors(Path file, Effect unclear) {
        this.file = file;
        this.unclear = unclear;
    }

    static SqliteErrors ofReading(Path file) {
        return new SqliteErrors(file, Effect.NONE);
    }

    /** Errors of a connection on which a failed write may have arrived. */
    static SqliteErrors ofWriting(Path file) {
        return new SqliteErrors(file, Effect.UNKNOWN);
    }

    /** Returns whether others used the file, so that nothing was done. */
    static boolean isBusy(SQLException e) {
        return primary(codeOf(e)) == SQLiteErrorCode.SQLITE_BUSY;
    }

    private static SQLiteErrorCode codeOf(SQLException e) {
        return e instanceof SQLiteException sqlite ? sqlite.getResultCode() : SQLiteErrorCode.SQLITE_ERROR;
    }

    private static SQLiteErrorCode primary(SQLiteErrorCode code) {
        return SQLiteErrorCode.getErrorCode(code.code & PRIMARY);
    }

    BackendException translate(SQLException e) {
        SQLiteErrorCode code = codeOf(e);
        return switch (primary(code)) {
            case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL -> busy(e);
            case SQLITE_FULL -> full(Effect.NONE, e);
            case SQLITE_CANTOPEN ->
                error(
                        ErrorCode.SERVICE_UNAVAILABLE,
                        Effect.NONE,
                        "it cannot be opened; check its folder and how many files this process may open",
                        e);
            case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH ->
                error(
                        ErrorCode.AUTH_FAILED,
                        Effect.NONE,
                        "it became read-only; allow writing to the file, to its folder, and to the disk",
                        e);
            case SQLITE_NOTADB ->
                error(ErrorCode.MISCONFIGURED, Effect.NONE, "it is not a SQLite database; name another file", e);
            case SQLITE_CORRUPT ->
                error(
                        ErrorCode.INTERNAL,
                        Effect.NONE,
                        "it is damaged; stop all that use it, restore it, and raise the tokens above those in use",
                        e);
            case SQLITE_IOERR ->
                code == SQLiteErrorCode.SQLITE_IOERR_SHMSIZE || DiskSpace.isUsedUp(file)
                        ? full(unclear, e)
                        : error(
                                ErrorCode.SERVICE_UNAVAILABLE,
                                unclear,
                                "its disk fails (" + code + "); check the disk",
                                e);
            default ->
                e.getCause() instanceof NativeLibraryNotFoundException
                        ? withoutLibrary(e)
                        : error(ErrorCode.INTERNAL, unclear, "SQLite says: " + e.getMessage(), e);
        };
    }

    /** Returns the error of a driver that could not load SQLite itself, which it brings along. */
    BackendException withoutLibrary(Throwable cause) {
        return error(
                ErrorCode.MISCONFIGURED,
                Effect.NONE,
                "SQLite's native library cannot be unpacked or loaded; let the temporary folder (TMPDIR, or java.io.tmpdir) be one that"
                        + " can be written and is not mounted noexec",
                cause);
    }

    private BackendException full(Effect effect, SQLException e) {
        return error(
                ErrorCode.STORE_FULL,
                effect,
                "there is no space left on its disk, or its files may not grow (ulimit -f); free some",
                e);
    }

    /** Returns the error of a thread that waited up to the limit for others of its process, which may wait for another process. */
    BackendException connectionBusy() {
        long self = ProcessHandle.current().pid();
        String reason = WriteLockOwner.of(file)
                .filter(owner -> owner.pid() != self)
                .map(WriteLockOwner::toString)
                .orElse("other threads of this process kept its connection busy up to the limit; ask less often");
        return error(ErrorCode.SERVICE_UNAVAILABLE, Effect.NONE, reason, null);
    }

    BackendException error(ErrorCode code, Effect effect, String whatAndRemedy, @Nullable Throwable cause) {
        return new BackendException(code, effect, "lock store " + file + ": " + whatAndRemedy, cause);
    }

    private BackendException busy(SQLException e) {
        String reason = WriteLockOwner.of(file)
                .map(WriteLockOwner::toString)
                .orElse("other processes kept it locked up to the limit; ask less often");
        return error(ErrorCode.SERVICE_UNAVAILABLE, Effect.NONE, reason, e);
    }
}
