/** Whether what is merged could be deployed, as far as it can be told without the sources. */
import type { Space } from '#actors/catalog/entity.ts'
import type { Deployment } from './entity.ts'

type LintedDeployment = Pick<Deployment, 'name' | 'repositoryUrl'>

/** What is wrong with a deployment, the worst first; nothing where it holds. */
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
