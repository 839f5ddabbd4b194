/** Made from the routes by test/console/operations.ts; never by hand. */
export interface ReportsOperations {
  'GET /reports/receipt': {
    reply: {
      items: ({
        lineId: string
        date: string
        cloudAccountId: string
        provider: string
        serviceName: string
        region: string
        resourceUid: string
        resourceType: string
        purchaseType: string
        chargeCategory: string
        description: string
        quantity: string | null
        unit: string
        invoiceId: string
        source: 'estimate' | 'actual'
        exportedAt: string
        exportId: string
        costUSD: string
        share?: string
        lineCostUSD?: string
      })[]
      total: number
      page: number
      limit: number
      hasMore: boolean
      totalUSD: string
      linesDropped?: true
    }
  }
}
