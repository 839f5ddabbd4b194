/** Made from the routes by test/console/operations.ts; never by hand. */
export interface TaggingOperations {
  'GET /tagging/policies/:policyID/coverage': {
    reply: {
      matched: number
      derived: number
      accepted: number
      pending: number
      costUsd30d: {
        derived: number
        accepted: number
        pending: number
      }
    }
  }
}
