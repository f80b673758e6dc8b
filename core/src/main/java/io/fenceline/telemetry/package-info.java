/** What happens to locks and leases, as events. */
@NullMarked
package io.fenceline.telemetry;

import org.jspecify.annotations.NullMarked;
