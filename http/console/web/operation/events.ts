/** Made from the routes by test/console/operations.ts; never by hand. */
export interface EventsOperations {
  'GET /events': {
    reply: ({
      id: string
      scheduleID: string
      action: 'start' | 'stop'
      triggeredAt: string
      resources: string[]
      status: 'triggered' | 'completed' | 'partial' | 'failed' | 'missed'
    })[]
  }
  'GET /events/lag': {
    reply: {
      lanes: ({
        lane: number
        cloudAccountIDs: string[]
        oldestSeconds: number | null
      })[]
      oldestSeconds: number | null
    }
  }
  'GET /events/stream': {
    reply: undefined
  }
}
