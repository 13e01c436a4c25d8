package dev.weir.example.ingest;

import dev.weir.engine.LimitResult;
import dev.weir.engine.Weir;
import dev.weir.engine.http.HttpDecision;
import dev.weir.engine.http.JsonFields;
import dev.weir.engine.json.Json;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The application's servlet. It has no code for limits, except to show them. */
final class IngestServlet extends HttpServlet {
    private static final int LARGEST = 1 << 20;
    private static final JsonFields DEVICE = JsonFields.at("/device_bucket");

    private final transient Weir weir;
    private final transient Rides rides;

    IngestServlet(Weir weir, Rides rides) {
        this.weir = weir;
        this.rides = rides;
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (!request.getRequestURI().equals(IngestServer.INGEST)) {
            response.sendError(HttpServletResponse.SC_NOT_FOUND);
            return;
        }
        byte[] body = request.getInputStream().readNBytes(LARGEST + 1);
        if (body.length > LARGEST) {
            response.sendError(HttpServletResponse.SC_REQUEST_ENTITY_TOO_LARGE);
            return;
        }
        @Nullable String device;
        try {
            device = DEVICE.read(body, body.length)[0];
        } catch (IOException e) {
            send(response, 400, Json.newObject(80).field("error", "bad_request").field("message", "this is not JSON"));
            return;
        }
        long id = rides.add(device, body);
        send(response, 200, Json.newObject(80).field("accepted", true).field("ride", id));
    }

    /**
     * {@code /v1/rides} returns the number of a device's rides; {@code /v1/rate_limit} returns its quota, and spends
     * nothing.
     */
    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String device = request.getParameter("device_bucket");
        switch (request.getRequestURI()) {
            case "/v1/rides" -> send(response, 200, Json.newObject(80).field("rides", rides.count(device)));
            case "/v1/rate_limit" -> send(response, 200, limits(device, request.getRemoteAddr()));
            default -> response.sendError(HttpServletResponse.SC_NOT_FOUND);
        }
    }

    private Json limits(@Nullable String device, String ip) {
        Map<String, String> caller = new HashMap<>(Map.of("ip", ip));
        if (device != null) {
            caller.put("device", device);
        }
        List<LimitResult> limits = weir.status(caller);
        Json json = Json.newObject(200);
        HttpDecision.limits(json, limits, System.currentTimeMillis());
        return json;
    }

    private static void send(HttpServletResponse response, int status, Json open) throws IOException {
        byte[] document = open.close('}').bytes();
        response.setStatus(status);
        response.setContentType("application/json");
        response.setContentLength(document.length);
        response.getOutputStream().write(document);
    }
}
