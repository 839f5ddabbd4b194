/** Made from the routes by test/console/operations.ts; never by hand. */
export interface EventsOperations {
  'GET /events/stream': {
    reply: undefined
  }
}
