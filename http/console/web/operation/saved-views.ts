/** Made from the routes by test/console/operations.ts; never by hand. */
export interface SavedViewsOperations {
  'DELETE /saved-views/:savedViewID': {
    reply: undefined
  }
  'DELETE /saved-views/:savedViewID/schedules/:scheduleID': {
    reply: undefined
  }
  'GET /saved-views': {
    reply: ({
      id: string
      name: string
      view: string
      query: string
      shared: 'me' | 'organization'
      ownerID: string
      isMine: boolean
      mayChange: boolean
      isMailable: boolean
      createdAt: string
      updatedAt: string
    })[]
  }
  'GET /saved-views/:savedViewID/schedules': {
    reply: ({
      id: string
      viewID: string
      ownerID: string
      isMine: boolean
      every: 'week' | 'month'
      weekday: number
      day: number
      hour: number
      timezone: string
      recipients: {
        email: string
        isOutside: boolean
        unsubscribed: boolean
      }[]
      isOn: boolean
      nextDueAt: string | null
      last: {
        dueAt: string
        at: string
        reason: string
        mails: ({
          email: string
          state: 'waiting' | 'sent' | 'failed' | 'left' | 'unsubscribed'
          message: string
        })[]
      } | null
      createdAt: string
      updatedAt: string
    })[]
  }
  'PATCH /saved-views/:savedViewID': {
    reply: {
      id: string
      name: string
      view: string
      query: string
      shared: 'me' | 'organization'
      ownerID: string
      isMine: boolean
      mayChange: boolean
      isMailable: boolean
      createdAt: string
      updatedAt: string
    }
  }
  'PATCH /saved-views/:savedViewID/schedules/:scheduleID': {
    reply: {
      id: string
      viewID: string
      ownerID: string
      isMine: boolean
      every: 'week' | 'month'
      weekday: number
      day: number
      hour: number
      timezone: string
      recipients: {
        email: string
        isOutside: boolean
        unsubscribed: boolean
      }[]
      isOn: boolean
      nextDueAt: string | null
      last: {
        dueAt: string
        at: string
        reason: string
        mails: ({
          email: string
          state: 'waiting' | 'sent' | 'failed' | 'left' | 'unsubscribed'
          message: string
        })[]
      } | null
      createdAt: string
      updatedAt: string
    }
  }
  'POST /saved-views': {
    reply: {
      id: string
      name: string
      view: string
      query: string
      shared: 'me' | 'organization'
      ownerID: string
      isMine: boolean
      mayChange: boolean
      isMailable: boolean
      createdAt: string
      updatedAt: string
    }
  }
  'POST /saved-views/:savedViewID/schedules': {
    reply: {
      id: string
      viewID: string
      ownerID: string
      isMine: boolean
      every: 'week' | 'month'
      weekday: number
      day: number
      hour: number
      timezone: string
      recipients: {
        email: string
        isOutside: boolean
        unsubscribed: boolean
      }[]
      isOn: boolean
      nextDueAt: string | null
      last: {
        dueAt: string
        at: string
        reason: string
        mails: ({
          email: string
          state: 'waiting' | 'sent' | 'failed' | 'left' | 'unsubscribed'
          message: string
        })[]
      } | null
      createdAt: string
      updatedAt: string
    }
  }
  'POST /saved-views/:savedViewID/test': {
    reply: {
      sentTo: string
    }
  }
}
