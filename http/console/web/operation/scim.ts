/** Made from the routes by test/console/operations.ts; never by hand. */
export interface ScimOperations {
  'GET /scim/v2/Users': {
    reply: {
      schemas: string[]
      totalResults: number
      startIndex: number
      itemsPerPage: number
      Resources: {
        schemas: string[]
        id: string
        externalId?: string
        userName?: string
        name?: {
          formatted?: string
          givenName?: string
          familyName?: string
        }
        displayName?: string
        emails?: {
          value: string
          type: string
          primary: boolean
        }[]
        active?: boolean
        groups?: {
          value: string
          display: string
        }[]
        meta?: {
          resourceType: string
          created?: string
          lastModified?: string
          location: string
          version: string
        }
      }[]
    }
  }
}
