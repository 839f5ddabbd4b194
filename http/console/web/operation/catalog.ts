/** Made from the routes by test/console/operations.ts; never by hand. */
export interface CatalogOperations {
  'GET /catalog/components': {
    reply: ({
      id: string
      name: string
      category: 'networking' | 'security' | 'observability' | 'scaling' | 'delivery'
      version: string
      description: string
    })[]
  }
  'GET /catalog/components/:componentID': {
    reply: {
      id: string
      name: string
      category: 'networking' | 'security' | 'observability' | 'scaling' | 'delivery'
      version: string
      description: string
      clouds: string[]
      values: unknown
    }
  }
}
