/** Made from the routes by test/console/operations.ts; never by hand. */
export interface McpOperations {
  'GET /mcp/tools': {
    reply: ({
      name: string
      title: string
      needs: string
      changes: 'nothing' | 'adds' | 'takesAway'
    })[]
  }
  'POST /mcp': {
    reply: Record<string, unknown>
  }
}
