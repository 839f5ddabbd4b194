/** Made from the routes by test/console/operations.ts; never by hand. */
export interface MembersOperations {
  'GET /members': {
    reply: ({
      userID: string
      email: string
      name: string
      roleID: string
      status: 'invited' | 'active'
      createdAt: string
    })[]
  }
}
