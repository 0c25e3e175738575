//! Customers: a number, and what follows from it.

use super::spread;

/// Both lists in alphabetical order, so that customers are in the order of their names.
const FIRST: [&str; 48] = [
    "Ada",
    "Alan",
    "Amara",
    "Anna",
    "Astrid",
    "Aziz",
    "Barbara",
    "Ben",
    "Carla",
    "Chen",
    "Dana",
    "David",
    "Dorothy",
    "Edsger",
    "Elena",
    "Emil",
    "Farah",
    "Finn",
    "Grace",
    "Hana",
    "Hedy",
    "Ines",
    "Ivan",
    "Jonas",
    "Julia",
    "Katherine",
    "Kofi",
    "Lars",
    "Leila",
    "Linus",
    "Maria",
    "Mei",
    "Nadia",
    "Niklas",
    "Olga",
    "Omar",
    "Paula",
    "Pedro",
    "Radia",
    "Rosa",
    "Samir",
    "Sofia",
    "Tariq",
    "Tess",
    "Umar",
    "Vera",
    "Yuki",
    "Zoe",
];
const LAST: [&str; 48] = [
    "Abbott", "Almeida", "Bauer", "Bianchi", "Brandt", "Castillo", "Costa", "Dubois", "Eriksen", "Fischer", "Fontaine",
    "Garcia", "Goldberg", "Haddad", "Hansen", "Hopper", "Ito", "Ivanova", "Jansen", "Johnson", "Keller", "Khan",
    "Kowalski", "Lamarr", "Lindgren", "Lovelace", "Marino", "Mensah", "Moreau", "Nakamura", "Novak", "Okafor",
    "Oliveira", "Perlman", "Petrov", "Quinn", "Rahman", "Rossi", "Sato", "Schmidt", "Silva", "Tanaka", "Turing",
    "Unger", "Vargas", "Weber", "Yilmaz", "Zhang",
];
const STREETS: [&str; 8] = [
    "Harbor Street",
    "Mill Lane",
    "Station Road",
    "Church Walk",
    "Garden Row",
    "Bridge Street",
    "Park Avenue",
    "High Street",
];
const TOWNS: [&str; 8] = [
    "Ashford",
    "Brookdale",
    "Clearwater",
    "Eastbury",
    "Fairview",
    "Lakeside",
    "Northfield",
    "Westhaven",
];

/// How many customers there are.
pub const CUSTOMERS: u16 = 48 * 48;

/// One customer, by number below [`CUSTOMERS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Customer(pub u16);

impl Customer {
    /// First and last name.
    #[must_use]
    pub fn name(self) -> String {
        format!("{} {}", self.first(), self.last())
    }

    /// The e-mail address on file. Private.
    #[must_use]
    pub fn email(self) -> String {
        let (first, last) = (self.first().to_lowercase(), self.last().to_lowercase());
        format!("{first}.{last}{}@mail.example", self.bits(1) % 90 + 10)
    }

    /// The number of the card on file, 16 digits. Private.
    #[must_use]
    pub fn card(self) -> String {
        format!("4{:015}", self.bits(2) % 1_000_000_000_000_000)
    }

    /// The card as a page may show it.
    #[must_use]
    pub fn masked_card(self) -> String {
        format!("•••• •••• •••• {}", &self.card()[12..])
    }

    /// Where the customer lives.
    #[must_use]
    pub fn address(self) -> String {
        let bits = self.bits(3);
        let pick = |list: &[&'static str; 8], shift: u32| list[(bits >> shift) as usize % list.len()];
        format!("{} {}, {}", bits % 180 + 1, pick(&STREETS, 8), pick(&TOWNS, 16))
    }

    fn first(self) -> &'static str {
        FIRST[usize::from(self.0) / LAST.len() % FIRST.len()]
    }

    fn last(self) -> &'static str {
        LAST[usize::from(self.0) % LAST.len()]
    }

    fn bits(self, salt: u64) -> u64 {
        spread(u64::from(self.0) << 8 | salt)
    }
}

#[cfg(test)]
mod tests {
    use super::{CUSTOMERS, Customer};

    #[test]
    fn numbers_are_in_the_order_of_names() {
        let names: Vec<_> = (0..CUSTOMERS).map(|number| Customer(number).name()).collect();
        assert!(names.is_sorted());
    }
}
