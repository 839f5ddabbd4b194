/** Made from the routes by test/console/operations.ts; never by hand. */
export interface SchedulesOperations {
  'GET /schedules': {
    reply: {
      items: ({
        id: string
        orgID: string
        name: string
        description?: string
        timezone: string
        rules: ({
          action: 'start' | 'stop'
          cron: string
        })[]
        resourceUIDs: string[]
        resourceGroupIDs: string[]
        skipDates: string[]
        enabled: boolean
        lastRunAt: string | null
        nextRunAt: string | null
        createdAt: string
        updatedAt: string
      })[]
      total: number
      page: number
      limit: number
      hasMore: boolean
    }
  }
  'GET /schedules/:scheduleID': {
    reply: {
      id: string
      orgID: string
      name: string
      description?: string
      timezone: string
      rules: ({
        action: 'start' | 'stop'
        cron: string
      })[]
      resourceUIDs: string[]
      resourceGroupIDs: string[]
      skipDates: string[]
      enabled: boolean
      lastRunAt: string | null
      nextRunAt: string | null
      createdAt: string
      updatedAt: string
    }
  }
  'GET /schedules/:scheduleID/next-runs': {
    reply: ({
      action: 'start' | 'stop'
      at: string
    })[]
  }
  'PATCH /schedules/:scheduleID': {
    reply: {
      id: string
      orgID: string
      name: string
      description?: string
      timezone: string
      rules: ({
        action: 'start' | 'stop'
        cron: string
      })[]
      resourceUIDs: string[]
      resourceGroupIDs: string[]
      skipDates: string[]
      enabled: boolean
      lastRunAt: string | null
      nextRunAt: string | null
      createdAt: string
      updatedAt: string
    }
  }
  'POST /schedules': {
    reply: {
      id: string
      orgID: string
      name: string
      description?: string
      timezone: string
      rules: ({
        action: 'start' | 'stop'
        cron: string
      })[]
      resourceUIDs: string[]
      resourceGroupIDs: string[]
      skipDates: string[]
      enabled: boolean
      lastRunAt: string | null
      nextRunAt: string | null
      createdAt: string
      updatedAt: string
    }
  }
  'POST /schedules/next-runs': {
    reply: ({
      action: 'start' | 'stop'
      at: string
    })[]
  }
}
