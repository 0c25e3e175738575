//! Who answers, chosen by the user.
