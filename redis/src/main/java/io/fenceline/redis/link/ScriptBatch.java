package io.fenceline.redis.link;

import java.util.List;

/**
 * Scripts whose calls can go together in one command: a script that runs several calls, each with one key, as if they came one after
 * the other. The error of a call is that call's alone.
 */
public final class ScriptBatch {

    private static final String TIME = "redis.call('TIME')";

    private final List<RedisScript> scripts;
    private final RedisScript together;

    private ScriptBatch(List<RedisScript> scripts, RedisScript together) {
        this.scripts = scripts;
        this.together = together;
    }

    /** Joins scripts. Their calls in one command share one reading of the server's clock. */
    public static ScriptBatch of(RedisScript... scripts) {
        StringBuilder text = new StringBuilder("local TIME = " + TIME + "\nlocal scripts = {\n");
        for (RedisScript script : scripts) {
            text.append("function(KEYS, ARGV)\n")
                    .append(script.text().replace(TIME, "TIME"))
                    .append("\nend,\n");
        }
        text.append("}\n").append(RedisScript.text("", "batch"));
        return new ScriptBatch(List.of(scripts), RedisScript.of(true, text.toString()));
    }

    /** The script for several calls. Its keys are those of the calls; it returns a list with the reply of each, or a text if it failed. */
    public RedisScript together() {
        return together;
    }

    /** Returns what stands in front of the arguments of a call. */
    public List<String> header(RedisScript script, String... arguments) {
        return List.of(Integer.toString(scripts.indexOf(script) + 1), Integer.toString(arguments.length));
    }
}
