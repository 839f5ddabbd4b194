/** Kubeconfigs given to an account for clusters that do not accept its own credentials. */
import { Fault, type Problem } from '#engine/value/fault.ts'
import { badInput } from '#http/edge/problem.ts'
import { readKubeconfig } from '#streams/cloud/kubernetes/api/kubeconfig.ts'

/** @throws Fault `invalid` with the members that a kubeconfig must not have */
export function checkKubeconfigs(kubeconfigs: Readonly<Record<string, string>>, allowPrivate: boolean): void {
  for (const [uid, text] of Object.entries(kubeconfigs))
    checkKubeconfig(`/credentials/kubeconfigs/${uid.replaceAll('~', '~0').replaceAll('/', '~1')}`, text, allowPrivate)
}

/** `name`: of the member of the body. @throws like `checkKubeconfigs` */
export function checkKubeconfig(name: string, text: string, allowPrivate: boolean): void {
  try {
    readKubeconfig(text, { allowPrivate })
  } catch (error) {
    const { detail, message } = Fault.from(error)
    const problems = (detail['problems'] ?? [{ path: '', code: 'kubeconfig', message }]) as Problem[]
    throw badInput(
      ...problems.map((one) => ({
        in: 'body' as const,
        name,
        code: one.code,
        message: `${one.path} ${one.message}`.trim(),
      })),
    )
  }
}
