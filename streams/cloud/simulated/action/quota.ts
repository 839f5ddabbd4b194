/** Maximum units of fleets in the simulated cloud. */

/** By type; other types have no quota. */
const most: Readonly<Record<string, number>> = {
  'aws-asg': 100,
  'aws-ecs-service': 100,
  'gcp-mig': 60,
  'azure-vmss': 40,
}

export const quotaOf = (type: string): number | undefined => most[type]
