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
export const isPublicPolicy = (text: string | undefined): boolean | undefined => someStatement(text, letsEveryoneIn)

/** Whether the policy of a bucket denies requests that are not encrypted; as for public policies. */
export const deniesPlainHttp = (text: string | undefined): boolean | undefined => someStatement(text, isAgainstHttp)

function someStatement(text: string | undefined, is: (one: Statement) => boolean): boolean | undefined {
  if (!text) return false
  try {
    const { Statement = [] }: { Statement?: Statement | Statement[] } = JSON.parse(text)
    return [Statement].flat().some(is)
  } catch {
    return undefined
  }
}

const principalsOf = ({ Principal = {} }: Statement): string[] =>
  typeof Principal === 'string' ? [Principal] : [Principal['AWS'] ?? []].flat()

function isAgainstHttp(one: Statement): boolean {
  const secure = one.Condition?.['Bool']?.['aws:SecureTransport']
  return one.Effect === 'Deny' && principalsOf(one).includes('*') && String(secure) === 'false'
}

function letsEveryoneIn(one: Statement): boolean {
  const { Effect, Condition = {} } = one
  const keys = Object.values(Condition).flatMap((test) => Object.keys(test))
  return Effect === 'Allow' && principalsOf(one).includes('*') && !keys.some((key) => limits.test(key))
}
