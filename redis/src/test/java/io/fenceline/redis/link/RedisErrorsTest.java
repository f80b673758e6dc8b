package io.fenceline.redis.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a server's answers say of a script's effect. */
@Tag("G10")
class RedisErrorsTest {

    private final RedisErrors errors = new RedisErrors("redis://h", false);

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "READONLY You can't write against a read only replica. | NONE",
                "UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?) | UNKNOWN",
            })
    void whatWaitAnswersComesAfterTheScript(String answer, Effect effect) {
        BackendException told = errors.ofReply(answer, null);

        assertThat(told.code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
        assertThat(told.effect()).isEqualTo(effect);
    }
}
