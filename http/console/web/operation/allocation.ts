/** Made from the routes by test/console/operations.ts; never by hand. */
export interface AllocationOperations {
  'POST /allocation/policies/preview': {
    reply: {
      matched: number
      moved: ({
        fromTeamID: string | null
        fromTeamName: string
        toTeamID: string | null
        toTeamName: string
        resources: number
        costUsd30d: number
      })[]
      won: {
        policyID: string
        name: string
        resources: number
      }[]
      byHand: number
      teamsToMake: string[]
      totalUsd30d: number
    }
  }
}
