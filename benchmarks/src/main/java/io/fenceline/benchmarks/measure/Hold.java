package io.fenceline.benchmarks.measure;

import io.fenceline.benchmarks.worker.ContendedTask;
import io.fenceline.benchmarks.worker.Holds;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * One grant of a lock that several want.
 *
 * @param jvm whose
 * @param thread whose, of all JVMs
 * @param called when it was asked for
 * @param granted when acquire came back
 * @param releasing when release was called
 * @param released when that came back
 * @param token the fencing token, or 0
 */
record Hold(int jvm, int thread, long called, long granted, long releasing, long released, long token) {

    /** Returns the grants of all threads of all JVMs in the order in which they were given. */
    static List<Hold> inOrder(List<ContendedTask.Log> logs) {
        List<Hold> all = new ArrayList<>();
        int thread = 0;
        for (int jvm = 0; jvm < logs.size(); jvm++) {
            for (Holds holds : logs.get(jvm).threads()) {
                for (int i = 0; i < holds.size(); i++) {
                    all.add(new Hold(
                            jvm,
                            thread,
                            holds.called(i),
                            holds.granted(i),
                            holds.releasing(i),
                            holds.released(i),
                            holds.token(i)));
                }
                thread++;
            }
        }
        all.sort(Comparator.comparingLong(Hold::granted));
        return all;
    }
}
