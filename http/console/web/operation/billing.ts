/** Made from the routes by test/console/operations.ts; never by hand. */
export interface BillingOperations {
  'DELETE /billing/exports/:exportID': {
    reply: {
      removed: ({
        exportID: string
        exportedAt: string
        period: string
        lines: number
        billedUSD: string
        before: {
          lines: number
          billedUSD: string
        }
        after: {
          lines: number
          billedUSD: string
        }
        showsExportID: string | null
      })[]
    }
  }
  'DELETE /billing/uploads/:uploadID': {
    reply: undefined
  }
  'GET /billing/exports': {
    reply: {
      items: ({
        id: string
        cloudAccountID: string
        period: string
        exportedAt: string
        state: 'shown' | 'begun' | 'waiting' | 'held' | 'incomplete' | 'previous' | 'removed'
        since: string | null
        lines: number | null
        billedUSD: string | null
        removedBy: string | null
      })[]
      total: number
      page: number
      limit: number
      hasMore: boolean
    }
  }
  'GET /billing/sync-status': {
    reply: ({
      cloudAccountID: string
      provider: string
      driver: 'simulated' | 'real' | 'none'
      lastSyncedAt: string | null
      status: 'pending' | 'backfilling' | 'syncing' | 'ok' | 'failed' | 'stale'
      monthsBackfilled?: number
      message?: string
      warnings?: {
        period: string
        code: string
        reason: string
        count: number
        rows: {
          file: string
          line?: number
          element?: number
        }[]
      }[]
    })[]
  }
  'GET /billing/uploads': {
    reply: {
      items: ({
        id: string
        cloudAccountID: string
        exportedAt: string
        state: 'reading' | 'storing' | 'ready' | 'applying' | 'replaced' | 'over' | 'held' | 'incomplete' | 'broken' | 'discarded'
        message: string | null
        files: ({
          name: string
          bytes: number
          rows: number
          format: 'focus' | 'aws-cur' | 'azure-export' | 'gcp-export'
          warnings?: {
            code: string
            message: string
          }[]
        })[]
        rows: number
        accepted: number
        refusedRows: number
        roundedRows: number
        refused: {
          code: string
          reason: string
          count: number
          rows: {
            file: string
            line?: number
            element?: number
          }[]
        }[]
        warnings: {
          code: string
          reason: string
          count: number
          rows: {
            file: string
            line?: number
            element?: number
          }[]
        }[]
        currencies: {
          currency: string
          billed: string
        }[]
        periods: ({
          period: string
          from: string
          to: string
          lines: number
          billedUSD: string | null
          standing: {
            lines: number
            billedUSD: string
            exportedAt: string | null
            whole: boolean
          } | null
          replaces: boolean
          lessThanHalf: boolean
          someDays: boolean
          daysLost: string[]
          repeats: {
            cloudAccountID: string | null
            accounts: number
            of: number
          } | null
          zerosAdded: string[]
          before: {
            lines: number
            billedUSD: string
          } | null
          after: {
            lines: number
            billedUSD: string
          } | null
        })[]
        confirm: ('rows_refused' | 'less_than_half' | 'other_account' | 'days_lost')[]
        createdAt: string
        appliedAt: string | null
        expiresAt: string
      })[]
      total: number
      page: number
      limit: number
      hasMore: boolean
    }
  }
  'GET /billing/uploads/:uploadID': {
    reply: {
      id: string
      cloudAccountID: string
      exportedAt: string
      state: 'reading' | 'storing' | 'ready' | 'applying' | 'replaced' | 'over' | 'held' | 'incomplete' | 'broken' | 'discarded'
      message: string | null
      files: ({
        name: string
        bytes: number
        rows: number
        format: 'focus' | 'aws-cur' | 'azure-export' | 'gcp-export'
        warnings?: {
          code: string
          message: string
        }[]
      })[]
      rows: number
      accepted: number
      refusedRows: number
      roundedRows: number
      refused: {
        code: string
        reason: string
        count: number
        rows: {
          file: string
          line?: number
          element?: number
        }[]
      }[]
      warnings: {
        code: string
        reason: string
        count: number
        rows: {
          file: string
          line?: number
          element?: number
        }[]
      }[]
      currencies: {
        currency: string
        billed: string
      }[]
      periods: ({
        period: string
        from: string
        to: string
        lines: number
        billedUSD: string | null
        standing: {
          lines: number
          billedUSD: string
          exportedAt: string | null
          whole: boolean
        } | null
        replaces: boolean
        lessThanHalf: boolean
        someDays: boolean
        daysLost: string[]
        repeats: {
          cloudAccountID: string | null
          accounts: number
          of: number
        } | null
        zerosAdded: string[]
        before: {
          lines: number
          billedUSD: string
        } | null
        after: {
          lines: number
          billedUSD: string
        } | null
      })[]
      confirm: ('rows_refused' | 'less_than_half' | 'other_account' | 'days_lost')[]
      createdAt: string
      appliedAt: string | null
      expiresAt: string
    }
  }
  'POST /billing/uploads': {
    reply: {
      id: string
      cloudAccountID: string
      exportedAt: string
      state: 'reading' | 'storing' | 'ready' | 'applying' | 'replaced' | 'over' | 'held' | 'incomplete' | 'broken' | 'discarded'
      message: string | null
      files: ({
        name: string
        bytes: number
        rows: number
        format: 'focus' | 'aws-cur' | 'azure-export' | 'gcp-export'
        warnings?: {
          code: string
          message: string
        }[]
      })[]
      rows: number
      accepted: number
      refusedRows: number
      roundedRows: number
      refused: {
        code: string
        reason: string
        count: number
        rows: {
          file: string
          line?: number
          element?: number
        }[]
      }[]
      warnings: {
        code: string
        reason: string
        count: number
        rows: {
          file: string
          line?: number
          element?: number
        }[]
      }[]
      currencies: {
        currency: string
        billed: string
      }[]
      periods: ({
        period: string
        from: string
        to: string
        lines: number
        billedUSD: string | null
        standing: {
          lines: number
          billedUSD: string
          exportedAt: string | null
          whole: boolean
        } | null
        replaces: boolean
        lessThanHalf: boolean
        someDays: boolean
        daysLost: string[]
        repeats: {
          cloudAccountID: string | null
          accounts: number
          of: number
        } | null
        zerosAdded: string[]
        before: {
          lines: number
          billedUSD: string
        } | null
        after: {
          lines: number
          billedUSD: string
        } | null
      })[]
      confirm: ('rows_refused' | 'less_than_half' | 'other_account' | 'days_lost')[]
      createdAt: string
      appliedAt: string | null
      expiresAt: string
    }
  }
  'POST /billing/uploads/:uploadID/apply': {
    reply: {
      id: string
      cloudAccountID: string
      exportedAt: string
      state: 'reading' | 'storing' | 'ready' | 'applying' | 'replaced' | 'over' | 'held' | 'incomplete' | 'broken' | 'discarded'
      message: string | null
      files: ({
        name: string
        bytes: number
        rows: number
        format: 'focus' | 'aws-cur' | 'azure-export' | 'gcp-export'
        warnings?: {
          code: string
          message: string
        }[]
      })[]
      rows: number
      accepted: number
      refusedRows: number
      roundedRows: number
      refused: {
        code: string
        reason: string
        count: number
        rows: {
          file: string
          line?: number
          element?: number
        }[]
      }[]
      warnings: {
        code: string
        reason: string
        count: number
        rows: {
          file: string
          line?: number
          element?: number
        }[]
      }[]
      currencies: {
        currency: string
        billed: string
      }[]
      periods: ({
        period: string
        from: string
        to: string
        lines: number
        billedUSD: string | null
        standing: {
          lines: number
          billedUSD: string
          exportedAt: string | null
          whole: boolean
        } | null
        replaces: boolean
        lessThanHalf: boolean
        someDays: boolean
        daysLost: string[]
        repeats: {
          cloudAccountID: string | null
          accounts: number
          of: number
        } | null
        zerosAdded: string[]
        before: {
          lines: number
          billedUSD: string
        } | null
        after: {
          lines: number
          billedUSD: string
        } | null
      })[]
      confirm: ('rows_refused' | 'less_than_half' | 'other_account' | 'days_lost')[]
      createdAt: string
      appliedAt: string | null
      expiresAt: string
    }
  }
}
