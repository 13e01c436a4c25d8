package dev.weir.example.saas;

import dev.weir.engine.Weir;
import dev.weir.engine.event.CloudEvent;
import dev.weir.engine.event.Event;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * The page of the operators: refusals, used-up budgets and alerts as CloudEvents, the latest first. A real service
 * would forward them, and restrict access to this page.
 */
@RestController
class Operations {
    private static final String SOURCE = "/ai-saas";
    private static final int MOST = 1000;

    private final Deque<String> latest = new ArrayDeque<>();

    Operations(Weir weir) {
        weir.events().subscribe("operations", 10_000, this::hear);
    }

    private void hear(Event event) {
        if (event instanceof Event.Denied || event instanceof Event.BudgetExhausted || event instanceof Event.Alert) {
            synchronized (latest) {
                latest.addFirst(CloudEvent.of(event, SOURCE).json());
                while (latest.size() > MOST) {
                    latest.removeLast();
                }
            }
        }
    }

    @GetMapping(value = "/operations/events", produces = "application/cloudevents-batch+json")
    String events() {
        List<String> events;
        synchronized (latest) {
            events = List.copyOf(latest);
        }
        return "[" + String.join(",\n", events) + "]";
    }
}
