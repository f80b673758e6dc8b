package io.fenceline.examples.orders;

import org.springframework.data.jpa.repository.JpaRepository;

/** The orders in the database. */
interface OrderRepository extends JpaRepository<Order, Long> {}
