import type { ErrorAnswer, Trouble } from "./format.ts";

const error = (status: number, message: string, type: string, code: string | null = null): ErrorAnswer => ({
  status,
  body: { error: { message, type, param: null, code } },
});

/** Errors as OpenAI words them, for both of its formats. */
export const openaiErrors: Record<Trouble, ErrorAnswer> = {
  rate: error(429, "Rate limit reached for gpt-x.", "requests", "rate_limit_exceeded"),
  server: error(500, "The server had an error while processing your request.", "server_error"),
  overloaded: error(503, "The engine is currently overloaded.", "server_error"),
  // OpenAI masks the key. Servers in its manner quote it whole: a test of its own.
  key: error(401, "Incorrect API key provided: sk-wrong******cret.", "invalid_request_error", "invalid_api_key"),
  length: error(
    400,
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    "invalid_request_error",
    "context_length_exceeded",
  ),
  unsigned: error(400, "Function call is missing a thought_signature.", "invalid_request_error", "invalid_argument"),
  request: error(400, "Invalid value for 'temperature'.", "invalid_request_error", "invalid_value"),
  model: error(404, "The model `m-1` does not exist.", "invalid_request_error", "model_not_found"),
};
