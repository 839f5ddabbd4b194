/** What programs that talk to a language model are given to reach the product. `url` is its address, without an end. */

/** In place of the secret, which nobody has after it was made. */
const secret = 'svc_pat_…'

const toConfigJson = (tidemark: object): string => JSON.stringify({ mcpServers: { tidemark } }, null, 2)

export const overHttp = (url: string): string =>
  toConfigJson({ type: 'http', url: `${url}/mcp`, headers: { Authorization: `Bearer ${secret}` } })

/** For those that start what they talk to. */
export const overStdio = (url: string): string =>
  toConfigJson({
    command: 'npm',
    args: ['run', '-s', '--prefix', '/path/to/tidemark', 'tidemark', '--', 'mcp', '--url', url],
    env: { TIDEMARK_TOKEN: secret },
  })
