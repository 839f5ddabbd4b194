/** Made from the routes by test/console/operations.ts; never by hand. */
export interface OrganisationsOperations {
  'POST /organisations': {
    reply: {
      id: string
      name: string
      createdAt: string
    }
  }
}
