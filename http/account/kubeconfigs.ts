/** Kubeconfigs that an account is given for clusters that do not let its own credentials in. */
import { Fault, type Problem } from '#engine/value/fault.ts'
import { badInput } from '#http/edge/problem.ts'
import { readKubeconfig } from '#streams/cloud/kubernetes/api/kubeconfig.ts'

/** @throws Fault `invalid` naming the members of a kubeconfig that may not stand there */
export function checkKubeconfigs(kubeconfigs: Readonly<Record<string, string>>, allowPrivate: boolean): void {
  for (const [uid, text] of Object.entries(kubeconfigs)) {
    try {
      readKubeconfig(text, { allowPrivate })
    } catch (error) {
      const { detail, message } = Fault.from(error)
      const problems = (detail['problems'] ?? [{ path: '', code: 'kubeconfig', message }]) as Problem[]
      const at = `/credentials/kubeconfigs/${uid.replaceAll('~', '~0').replaceAll('/', '~1')}`
      throw badInput(
        ...problems.map((one) => ({
          in: 'body' as const,
          name: at,
          code: one.code,
          message: `${one.path} ${one.message}`.trim(),
        })),
      )
    }
  }
}
