/** Made from the routes by test/console/operations.ts; never by hand. */
export interface ResourcesOperations {
  'GET /resources/filter-fields': {
    reply: {
      types: string[]
      providers: ('aws' | 'gcp' | 'azure')[]
      regions: string[]
      statuses: ('running' | 'stopped' | 'starting' | 'stopping' | 'pending')[]
    }
  }
}
