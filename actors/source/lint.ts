/** Whether a merged pull request could be deployed, as far as that can be told without the sources. */
import type { Space } from '#actors/catalog/entity.ts'
import type { Deployment } from './entity.ts'

type LintedDeployment = Pick<Deployment, 'name' | 'repositoryUrl'>

/** Problems of a deployment, worst first; empty if there are none. */
export function findingsOf(
  { name, repositoryUrl }: LintedDeployment,
  space: Pick<Space, 'name' | 'status'> | null,
): string[] {
  const findings: string[] = []
  if (!space) findings.push(`The space of ${name} no longer exists.`)
  else if (space.status !== 'active') findings.push(`The space ${space.name} of ${name} is disabled.`)
  if (/^(?:http|git):\/\//i.test(repositoryUrl))
    findings.push(`${name} fetches its source code over an unencrypted connection.`)
  return findings
}
