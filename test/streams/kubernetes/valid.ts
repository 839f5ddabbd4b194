import { decoder } from '#engine/value/schema.ts'
import { kubernetesUsage, type KubernetesUsage } from '#streams/kubernetes/messages.ts'

const decode = decoder(kubernetesUsage.schema)

/** Whether every one is a message that the stream takes. @throws what is wrong with the first that is none */
export function validMessages(all: readonly KubernetesUsage[]): boolean {
  for (const one of all) decode(structuredClone(one))
  return true
}
