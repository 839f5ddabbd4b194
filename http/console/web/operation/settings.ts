/** Made from the routes by test/console/operations.ts; never by hand. */
export interface SettingsOperations {
  'DELETE /settings/personal-access-tokens/:tokenID': {
    reply: undefined
  }
  'GET /settings/personal-access-tokens': {
    reply: ({
      id: string
      name: string
      scope: 'api' | 'analyst'
      role: 'viewer' | null
      prefix: string
      createdAt: string
      lastUsedAt: string | null
      expiresAt: string | null
    })[]
  }
  'POST /settings/personal-access-tokens': {
    reply: {
      id: string
      name: string
      scope: 'api' | 'analyst'
      role: 'viewer' | null
      prefix: string
      createdAt: string
      lastUsedAt: string | null
      expiresAt: string | null
      token: string
    }
  }
}
