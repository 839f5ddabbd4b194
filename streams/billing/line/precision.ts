/** Decimal places of amounts and quantities, prices, and rates in the store; what is finer is rounded half away from zero. */
export const moneyPlaces = 14
export const pricePlaces = 16
export const ratePlaces = 12
