/** Causes that are seen on one resource. */
import { steady, type Charge, type Dice, type Resource, type World } from './world.ts'

type Plant = (draw: Dice, resource: Resource, world: World) => string

/** Changes the charge of the analysed day. */
const onTheDay = ({ days }: Resource, change: (charge: Charge) => Charge): void =>
  void days.set(0, change(days.get(0)!))

export const resourceCauses: Readonly<Record<string, Plant>> = {
  'reservation expiry': (draw, resource) => {
    const share = draw.from(0.3, 0.65)
    const purchase = draw.one(['reserved', 'savings_plan'] as const)
    for (const [offset, charge] of resource.days)
      if (offset < 0) resource.days.set(offset, { ...charge, rate: charge.rate * share, purchase })
    return 'Reservation expiry: '
  },
  'instance resize': (draw, resource) => {
    const times = draw.from(1.6, 4)
    onTheDay(resource, (charge) => ({ ...charge, rate: charge.rate * times }))
    return 'Instance resize: '
  },
  'schedule failure': (draw, resource, world) => {
    onTheDay(resource, (charge) => ({ ...charge, used: 24 }))
    world.failedStop(resource.uid, -draw.whole(0, 1), draw.one(['failed', 'partial', 'missed']))
    return 'Schedule failure: '
  },
  'usage spike': (draw, resource) => {
    const unit = draw.chance(0.4) ? draw.one(['GB', 'Requests']) : undefined
    const times = draw.from(1.75, unit ? 6 : 2.4)
    if (unit)
      for (const [offset, { isTold: _, ...charge }] of resource.days) resource.days.set(offset, { ...charge, unit })
    onTheDay(resource, (charge) => ({ ...charge, used: charge.used * times }))
    return 'Usage spike: '
  },
}

/** `count` resources with the cause, in five accounts, with as many around them that have none. */
export function plantResources(world: World, draw: Dice, kind: string, count: number): void {
  for (let i = 0; i < count; i++) {
    const uid = `${kind.replaceAll(' ', '-')}-${i}`
    const resource = steady(draw, uid, `shared-${i % 5}`, draw.one(['vm', 'database', 'cache']))
    const begins = resourceCauses[kind]!(draw, resource, world)
    world.bill(resource)
    world.bill(steady(draw, `${uid}-beside`, `shared-${i % 5}`, 'vm'))
    world.plant({ kind, type: 'resource', key: uid, begins })
  }
}
