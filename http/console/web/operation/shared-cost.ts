/** Made from the routes by test/console/operations.ts; never by hand. */
export interface SharedCostOperations {
  'POST /shared-cost/policies/preview': {
    reply: {
      selectedUsd30d: number
      movedUsd30d: number
      moved: ({
        fromTeamID: string | null
        fromTeamName: string
        toTeamID: string | null
        toTeamName: string
        costUsd30d: number
      })[]
      won: {
        policyID: string
        name: string
        costUsd30d: number
      }[]
    }
  }
}
