/** Made from the routes by test/console/operations.ts; never by hand. */
export interface BillingOperations {
  'GET /billing/sync-status': {
    reply: ({
      cloudAccountID: string
      provider: string
      lastSyncedAt: string | null
      status: 'pending' | 'backfilling' | 'syncing' | 'ok' | 'failed' | 'stale'
      monthsBackfilled?: number
      message?: string
    })[]
  }
}
