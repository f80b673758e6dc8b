/** Health of the locks' store on Spring Boot 3.5. */
@NullMarked
package io.fenceline.spring.boot3;

import org.jspecify.annotations.NullMarked;
