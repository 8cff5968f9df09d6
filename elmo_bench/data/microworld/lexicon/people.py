"""Names that only people bear here. Names of several kinds are in `ambiguous`."""

WOMEN = """
Amelia Beatrice Camila Deborah Eleanor Fatima Gudrun Hannah Ingrid Jasmine Katarina Leticia Mathilda Nadia
Ottilie Priya Rachel Sigrid Teresa Ursula Valentina Wilhelmina Yasmin Zofia Agnieszka Bridget Cecilia
Dorothy Elif Francesca Gabriela Helen Isabel Judith Kirsten Lucia Margaret Natasha Olga Patricia Rebecca
Svetlana Tamara Ulrike Vera Wanda Yolanda Zainab Aisha Bettina Caroline Daphne Edith Fiona Greta Henrietta
Irina Joanna Kamala Laura Miriam Noor Odette Penelope Renata Susan Tatiana Veronica Winifred Yuki Zelda
Anneliese Birgit Constance Diana Esther Freya Harriet Ines Josephine Keiko Lakshmi Monica Nicole Paula
Rosalind Sabine Thelma Xenia
"""

MEN = """
Adrian Boris Cedric Daniel Edmund Felix Gerald Henrik Igor Joaquin Kevin Leonard Matthew Nikolai Oscar
Patrick Quentin Rafael Stefan Thomas Ulrich Viktor Walter Xavier Yusuf Zoltan Ahmed Benjamin Christopher
Dmitri Emil Fernando Gustav Hassan Ivan Jerome Klaus Lorenzo Marcel Nathaniel Olaf Pedro Roland Sergei
Timothy Umberto Vincent Wolfgang Yannick Zachary Alberto Bernard Carlos Dieter Enrique Francis Gilbert
Hiroshi Ismail Julian Kenji Lars Mehmet Nigel Omar Pavel Ricardo Simon Tobias Vladimir Winston Anton
Bartholomew Cornelius Douglas Ernest Friedrich Gordon Hubert Isaac Jonas Karl Lucas Michael Norbert Oliver
Peter Raymond Samuel Theodore Vikram
"""

SURNAMES = """
Abernathy Bergstrom Castellano Dombrowski Eriksen Fairchild Gallagher Halvorsen Ibrahim Jankowski Kowalski
Lindqvist McAllister Nakamura Okafor Petrov Quigley Rasmussen Schneider Takahashi Underhill Vasquez
Whitaker Yamamoto Zimmermann Anand Bianchi Chaudhary Delacroix Engström Fitzgerald Gutierrez Haddad
Ivanova Jovanovic Kaplan Larsen Mbeki Novak Oyelaran Pereira Romano Svensson Tanaka Ustinov Villanueva
Weinstein Yilmaz Zhang Andersson Blackwell Carmichael Dubois Esposito Ferreira Goldstein Hashimoto
Ishikawa Johansson Kapoor Leclerc Moreau Nowak Olsen Papadopoulos Rossi Sokolov Thackeray Ueda Volkov
Winterbottom Xu Youssef Zapata Aguilar Bonner Cunningham Donovan Ellsworth Fontaine Grigoriev Hernandez
Ingram Jefferies Kessler Lombardi Mukherjee Nielsen Osborne Pappas Rutherford Sandoval Trevino Vandenberg
Wozniak Yeats Zielinski Achebe Baumann Cavendish Dvorak Eisenberg Fujimoto Gonzales Hutchinson Iyer Jensen
Kruger Lefebvre Martinelli Nguyen Oduya Pemberton Rodriguez Steiner Tremblay Vogel Wainwright Zeller
Ashworth Bradshaw Chowdhury Devereux Elgin Forsythe Gruber Hoffmann Inoue Joyner Kimura Lundgren Mendoza
Naidoo Ortega Popescu Richter Silva Thornton Vargas Wagner Yoshida Ziegler Armitage Brannigan Cisneros
Dunleavy Emerson Farouk Gupta Holloway Janssen Keller Lopez Montague Navarro Obrien Prescott Reinhardt
Schubert Tolliver Vance Wentworth Arslan Bouchard Calloway Desai Espinoza Flanagan Greenberg Horvath
Jacobsen Kovacs Levin Maldonado Nyberg Palmieri Rahman Saito Toivonen Walczak Zuniga
"""

TITLES = {
    "": "Dr. Professor Judge Mayor Senator Governor Captain Inspector Sergeant President Colonel Coach",
    "he": "Mr. Sir Father King Prince",
    "she": "Mrs. Ms. Lady Sister Queen Princess",
}
