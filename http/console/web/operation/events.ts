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
  'GET /events/stream': {
    reply: undefined
  }
}
