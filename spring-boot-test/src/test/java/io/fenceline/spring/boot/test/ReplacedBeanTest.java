package io.fenceline.spring.boot.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.spring.CurrentLease;
import io.fenceline.spring.Locked;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.bean.override.convention.TestBean;

/** A test that replaces a bean with locked methods by an object without a proxy, as {@code @MockitoBean} does too. */
@SpringBootTest(classes = ReplacedBeanTest.Application.class)
@AutoConfigureFenceline
class ReplacedBeanTest {

    @TestBean
    private Replaced replaced;

    @Autowired
    private Kept kept;

    static Replaced replaced() {
        return new Replaced();
    }

    @Test
    void theOtherBeansAreLocked() {
        assertThat(replaced.isLocked()).isFalse();
        assertThat(kept.isLocked()).isTrue();
    }

    @Import({Replaced.class, Kept.class})
    static class Application {}

    static class Replaced {
        @Locked("replaced")
        public boolean isLocked() {
            return CurrentLease.find().isPresent();
        }
    }

    static class Kept {
        @Locked("kept")
        public boolean isLocked() {
            return CurrentLease.find().isPresent();
        }
    }
}
