/** Made from the routes by test/console/operations.ts; never by hand. */
export interface DeadLettersOperations {
  'GET /dead-letters': {
    reply: {
      items: ({
        id: string
        at: string
        subject: string
        type: string
        messageID: string
        code: string
        reason: string
        actor: string | null
        attempts: number
        bytes: number
        preview: string
        replayable: boolean
        replayedAt: string | null
      })[]
      total: number
      page: number
      limit: number
      hasMore: boolean
    }
  }
  'GET /dead-letters/:deadLetterID': {
    reply: {
      id: string
      at: string
      subject: string
      type: string
      messageID: string
      code: string
      reason: string
      actor: string | null
      attempts: number
      bytes: number
      preview: string
      replayable: boolean
      replayedAt: string | null
      headers: Record<string, string>
      body: string
    }
  }
  'GET /dead-letters/counts': {
    reply: {
      code: string
      type: string
      count: number
      waiting: number
      newestAt: string
    }[]
  }
  'POST /dead-letters/:deadLetterID/replay': {
    reply: {
      replayed: number
      ids: string[]
    }
  }
  'POST /dead-letters/replay': {
    reply: {
      replayed: number
      ids: string[]
    }
  }
}
