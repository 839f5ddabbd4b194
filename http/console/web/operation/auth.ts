/** Made from the routes by test/console/operations.ts; never by hand. */
export interface AuthOperations {
  'GET /auth/browser/methods': { reply: unknown }
  'GET /auth/me': { reply: unknown }
  'POST /auth/browser/link': { reply: unknown }
  'POST /auth/browser/login': { reply: unknown }
  'POST /auth/browser/login/totp': { reply: unknown }
  'POST /auth/browser/logout': { reply: unknown }
  'POST /auth/browser/refresh': { reply: unknown }
  'POST /auth/saml/initiate': {
    reply: {
      redirectURL: string
    }
  }
}
