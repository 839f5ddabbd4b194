/** Conditions that limit who may call; others, such as `aws:SecureTransport`, only limit how. */
const limits =
  /^(aws:(Source(Account|Arn|Owner|Ip|Vpc|Vpce|OrgID|OrgPaths)|VpcSourceIp|Principal(Account|Arn|OrgID|OrgPaths|IsAWSService|Tag\/.+)|userid|username)|sns:Endpoint|kms:CallerAccount)$/i

interface Statement {
  Effect?: string
  Principal?: string | Record<string, string | string[]>
  Condition?: Record<string, Record<string, unknown>>
}

/**
 * Whether the policy of a resource lets every principal in: false without a policy, undefined if it cannot be read.
 * @param text JSON, as AWS answers it
 */
export function isPublicPolicy(text: string | undefined): boolean | undefined {
  if (!text) return false
  try {
    const { Statement = [] }: { Statement?: Statement | Statement[] } = JSON.parse(text)
    return [Statement].flat().some(letsEveryoneIn)
  } catch {
    return undefined
  }
}

function letsEveryoneIn({ Effect, Principal = {}, Condition = {} }: Statement): boolean {
  const principals = typeof Principal === 'string' ? [Principal] : [Principal['AWS'] ?? []].flat()
  const keys = Object.values(Condition).flatMap((test) => Object.keys(test))
  return Effect === 'Allow' && principals.includes('*') && !keys.some((key) => limits.test(key))
}
