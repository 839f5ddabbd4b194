/** Made from the routes by test/console/operations.ts; never by hand. */
export interface MembersOperations {
  'DELETE /members/:userID': {
    reply: undefined
  }
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
  'PATCH /members/:userID': {
    reply: {
      userID: string
      email: string
      name: string
      roleID: string
      status: 'invited' | 'active'
      createdAt: string
    }
  }
  'POST /members': {
    reply: {
      userID: string
      email: string
      name: string
      roleID: string
      status: 'invited' | 'active'
      createdAt: string
    }
  }
}
