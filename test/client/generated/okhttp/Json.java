/** Opens the client of the default library, OkHttp, whose JSON is Gson's. */
import made.ApiClient;
import made.JSON;

class Json {
  static ApiClient client(String url, String key) {
    ApiClient client = new ApiClient();
    client.setBasePath(url);
    client.setBearerToken(key);
    return client;
  }

  static String write(Object value) {
    return JSON.serialize(value);
  }

  static <T> T read(String text, Class<T> type) {
    return JSON.getGson().fromJson(text, type);
  }
}
