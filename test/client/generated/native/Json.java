/** Opens the client of the library `native`, whose JSON is Jackson's. */
import com.fasterxml.jackson.databind.ObjectMapper;
import made.ApiClient;

class Json {
  static final ObjectMapper MAPPER = ApiClient.createDefaultObjectMapper();

  static ApiClient client(String url, String key) {
    ApiClient client = new ApiClient();
    client.updateBaseUri(url);
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + key));
    return client;
  }

  static String write(Object value) throws Exception {
    return MAPPER.writeValueAsString(value);
  }

  static <T> T read(String text, Class<T> type) throws Exception {
    return MAPPER.readValue(text, type);
  }
}
